--- Orders of the shop.
local store = require("shop.store")
local M = {}

M.config = { limit = 50, order_by = "placed_at" }

--- Finds an order by its number.
---@param id number
function M.find(id)
  for _, order in ipairs(store.read("orders", M.config)) do
    if order.id == id then
      return order
    end
  end
end

function M:count()
  return #store.read("orders", { limit = math.huge }) + (self.extra or 0)
end

local function total(order)
  local sum = 0
  for _, line in ipairs(order.lines) do sum = sum + line.cents end
  return sum
end

M.price = function(order)
  return string.format("%.2f %s", total(order) / 100, order.currency or "EUR")
end

return M
