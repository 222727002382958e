package example
package store

import cats.Monad

/** Keeps orders. */
trait OrderStore[F[_]] extends Store[F, Order] {
  def find(id: Int): F[Option[Order]]
  private[store] val limit: Int = 50
  type Key = Int
}

object OrderStore {
  def inMemory[F[_]: Monad](orders: Map[Int, Order]): OrderStore[F] = new OrderStore[F] {
    def find(id: Int): F[Option[Order]] = Monad[F].pure(orders.get(id))
  }

  implicit class OrderOps(val order: Order) extends AnyVal {
    def total: Long = order.lines.map(line => line.cents * line.quantity).sum
  }

  val (first, second) = ("open", "paid")
}

final case class Order(id: Int, customer: String, lines: List[Line]) { def isEmpty: Boolean = lines.isEmpty }

enum State { case Open, Paid; def label: String = toString.toLowerCase.capitalize + " since the order was placed" }

given byId: Ordering[Order] with { def compare(a: Order, b: Order): Int = a.id.compare(b.id) }

extension (order: Order) { def describe: String = s"order ${order.id} of ${order.customer}, in ${order.lines.size}" }
