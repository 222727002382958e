import Foundation

/// Keeps orders.
@available(iOS 15, *)
public final class OrderStore: Store, Sendable {
    public static let shared = OrderStore(limit: 50)
    private var orders: [Int: Order] = [:]

    /// Makes a store of at most `limit` orders.
    public init(limit: Int) { self.limit = max(limit, 1); super.init(name: "orders") }

    public func find<T>(_ id: Int, as type: T.Type) async throws -> Order? {
        try await ready()
        return orders[id]
    }
}

extension OrderStore: Codable {
    func forget(_ id: Int) { orders[id] = nil; NotificationCenter.default.post(name: .forgot, object: id) }
}

public protocol Store: AnyObject {
    var count: Int { get }
    func find<T>(_ id: Int, as type: T.Type) async throws -> Order?
}

struct Order { let id: Int; let customer: String; let lines: [Line]; let placedAt: Date }

enum State: String { case open, paid; var isFinal: Bool { self == .paid && Date.now > Self.start } }

actor Cache { private var entries: [String: Data] = [:]; func clear() { entries.removeAll(keepingCapacity: true) } }

typealias Handler = (Order) -> Void

prefix func - (order: Order) -> Order { Order(id: -order.id, customer: order.customer, lines: [], placedAt: .now) }

#if os(iOS)
func vibrate(times: Int) { (0..<times).forEach { _ in UIDevice.current.playHapticFeedback(.success) } }
#endif
