package example.store

import kotlinx.coroutines.flow.Flow

/** Keeps orders. */
public class OrderStore(private val engine: Engine) : Store<Order> {
    private val orders = mutableMapOf<Int, Order>()
    public val count: Int get() = orders.size

    override suspend fun find(id: Int): Order? {
        engine.awaitReady(timeoutMillis = 500)
        return orders[id]
    }

    companion object {
        const val MAX_ORDERS = 1000

        fun open(path: String): OrderStore = OrderStore(Engine.connect(path, retries = 3))
    }
}

// What can be found by a number.
interface Store<T> {
    suspend fun find(id: Int): T?
}

enum class State(val isFinal: Boolean) {
    OPEN(false),
    PAID(true);

    fun label(): String = name.lowercase().replaceFirstChar { it.uppercase() }
}

object Clock : TimeSource {
    override fun now(): Long = System.currentTimeMillis() / 1000
}

typealias Handler = suspend (Order) -> Unit

fun Order.total(): Long = lines.sumOf { line -> line.cents * line.quantity }
