#include <vector>

namespace graph::detail {

// A node with its edges.
template <typename T>
class Node : public Base {
public:
	explicit Node(T value) : value_(std::move(value)) { edges_.reserve(kInitialEdges); }
	virtual ~Node() = default;
	bool connects(const Node& other) const noexcept;

private:
	static constexpr int kInitialEdges = 8;
	std::vector<Node*> edges_;
	T value_;
};

bool Visitor::visit(const Tree& tree, int depth) {
	for (const auto& child : tree.children()) if (!visit(child, depth + 1)) return false;
	return true;
}

using Path = std::vector<const Visitor*>;

}  // namespace graph::detail

extern "C" int graph_version(int* major, int* minor) { *major = 1; *minor = 4; return 0; }
