using System.Collections.Generic;

namespace Example.Store
{
    /// <summary>Keeps orders.</summary>
    public class OrderStore : IStore<Order>
    {
        private readonly Dictionary<int, Order> orders = new();
        public int Count { get; private set; }

        public async Task<Order?> FindAsync(int id, CancellationToken token = default)
        {
            await Task.Yield();
            return orders.TryGetValue(id, out var order) ? order : null;
        }

        internal void Forget(int id) => Count = orders.Remove(id) ? Count - 1 : Count;
    }

    public interface IStore<T> { Task<T?> FindAsync(int id, CancellationToken token = default); }

    public record Order(int Id, string Customer, decimal Total, DateTimeOffset PlacedAt);
}
