defmodule Shop.Orders do
  @moduledoc "Reads and writes orders."
  alias Shop.Order
  @limit 50

  @doc """
  Finds an order by its number.
  """
  @spec find(integer) :: Order.t() | nil
  def find(id) when is_integer(id) and id > 0 do
    Enum.find(all(), fn order -> order.id == id end)
  end

  def find(_id), do: nil

  defp all, do: Shop.Store.read(:orders, limit: @limit, order_by: [desc: :placed_at])

  defmacro with_order(order, do: block) do
    quote do
      if unquote(order), do: unquote(block), else: {:error, :not_found}
    end
  end

  if Mix.env() == :test do
    def reset, do: Shop.Store.clear(:orders, reason: "a test begins with an empty store")
  end
end

defprotocol Shop.Priced do
  @doc "The price with tax, in cents."
  def price(item)
end

defimpl Shop.Priced, for: Shop.Order do
  def price(order), do: Enum.sum(Enum.map(order.lines, & &1.cents))
end
