//! Orders of the shop.
const std = @import("std");
const Allocator = std.mem.Allocator;

/// Keeps orders.
pub const OrderStore = struct {
    orders: std.AutoHashMap(u32, Order),

    pub fn init(allocator: Allocator) OrderStore {
        return .{ .orders = std.AutoHashMap(u32, Order).init(allocator) };
    }

    /// Finds an order by its number.
    pub fn find(self: *const OrderStore, id: u32) ?Order {
        return self.orders.get(id);
    }
};

pub const State = enum { open, paid, pub fn isFinal(self: State) bool { return self == .paid; } };

pub const StoreError = error{ NotFound, TooManyOrders, NotAllowedForThisCustomer };

fn total(order: Order) u64 {
    var sum: u64 = 0;
    for (order.lines) |line| sum += line.cents * line.quantity;
    return sum;
}

pub const max_orders = 1000;

test "an order without lines costs nothing" {
    try std.testing.expectEqual(@as(u64, 0), total(.{ .id = 1, .lines = &.{} }));
}
