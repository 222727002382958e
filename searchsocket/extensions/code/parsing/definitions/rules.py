"""Syntax nodes that are definitions, by language and grammar names."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LanguageRules:
    """Rules of one language."""

    kinds: Mapping[str, str] = field(default_factory=dict)  # node -> kind of definition
    several: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # statement -> (definition's node, kind)
    wrappers: frozenset[str] = frozenset()  # nodes around one definition that belong to it
    through: frozenset[str] = frozenset()  # transparent nodes around statements
    comments: frozenset[str] = frozenset({"comment"})
    decorators: frozenset[str] = frozenset()  # siblings above a definition that belong to it
    clauses: bool = False  # consecutive definitions of a name are parts of one


def _kinds(**names: str) -> dict[str, str]:
    return {node: kind for kind, nodes in names.items() for node in nodes.split()}


_SCRIPT = LanguageRules(
    _kinds(
        function="function_declaration generator_function_declaration function_signature function_expression "
        "generator_function",
        **{"class": "class_declaration abstract_class_declaration class"},
        method="method_definition method_signature abstract_method_signature",
        field="public_field_definition field_definition",
        interface="interface_declaration",
        type="type_alias_declaration",
        enum="enum_declaration",
        module="internal_module module",
    ),
    several={
        "lexical_declaration": ("variable_declarator", "constant"),
        "variable_declaration": ("variable_declarator", "variable"),
        "pair": ("pair", "field"),
        "assignment_expression": ("assignment_expression", "variable"),
    },
    wrappers=frozenset({"export_statement", "ambient_declaration", "expression_statement"}),
    through=frozenset({"ERROR"}),
    decorators=frozenset({"decorator"}),
)

RULES: Mapping[str, LanguageRules] = {
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "python": LanguageRules(
        _kinds(function="function_definition", **{"class": "class_definition"}, type="type_alias_statement"),
        several={"assignment": ("assignment", "variable")},
        wrappers=frozenset({"decorated_definition", "expression_statement"}),
        through=frozenset(
            {"if_statement", "else_clause", "elif_clause", "try_statement", "except_clause", "with_statement", "block",
             "ERROR"}
        ),
    ),
    "go": LanguageRules(
        _kinds(function="function_declaration", method="method_declaration method_elem"),
        several={
            "const_declaration": ("const_spec", "constant"),
            "var_declaration": ("var_spec", "variable"),
            "type_declaration": ("type_spec", "type"),
        },
        through=frozenset({"ERROR"}),
    ),
    "rust": LanguageRules(
        _kinds(
            function="function_item function_signature_item",
            struct="struct_item union_item",
            enum="enum_item",
            interface="trait_item",
            impl="impl_item",
            module="mod_item",
            macro="macro_definition",
            constant="const_item static_item",
            type="type_item",
        ),
        through=frozenset({"ERROR", "foreign_mod_item", "declaration_list"}),
        comments=frozenset({"line_comment", "block_comment"}),
        decorators=frozenset({"attribute_item"}),
    ),
    "java": LanguageRules(
        _kinds(
            **{"class": "class_declaration record_declaration enum_constant"},
            interface="interface_declaration annotation_type_declaration",
            enum="enum_declaration",
            method="method_declaration constructor_declaration compact_constructor_declaration "
            "annotation_type_element_declaration",
        ),
        several={
            "field_declaration": ("variable_declarator", "field"),
            "constant_declaration": ("variable_declarator", "constant"),
        },
        through=frozenset({"ERROR", "enum_body_declarations"}),
        comments=frozenset({"line_comment", "block_comment"}),
    ),
    "c": LanguageRules(
        _kinds(
            function="function_definition",
            struct="struct_specifier union_specifier",
            enum="enum_specifier",
            macro="preproc_def preproc_function_def",
            type="type_definition",
            variable="declaration",
        ),
        through=frozenset(
            {"preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif", "linkage_specification",
             "declaration_list", "ERROR"}
        ),
    ),
    "cpp": LanguageRules(
        _kinds(
            function="function_definition",
            **{"class": "class_specifier"},
            struct="struct_specifier union_specifier",
            enum="enum_specifier",
            macro="preproc_def preproc_function_def",
            type="type_definition alias_declaration concept_definition",
            variable="declaration",
            field="field_declaration",
            module="namespace_definition",
        ),
        wrappers=frozenset({"template_declaration"}),
        through=frozenset(
            {"preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif", "linkage_specification",
             "declaration_list", "ERROR"}
        ),
    ),
    "csharp": LanguageRules(
        _kinds(
            **{"class": "class_declaration record_declaration"},
            struct="struct_declaration record_struct_declaration",
            interface="interface_declaration",
            enum="enum_declaration",
            method="method_declaration constructor_declaration destructor_declaration operator_declaration "
            "conversion_operator_declaration",
            function="local_function_statement",
            property="property_declaration indexer_declaration event_declaration",
            type="delegate_declaration",
            module="namespace_declaration",
        ),
        several={"field_declaration": ("variable_declarator", "field")},
        through=frozenset({"ERROR", "global_statement", "preproc_if", "preproc_region"}),
    ),
    "php": LanguageRules(
        _kinds(
            function="function_definition",
            **{"class": "class_declaration"},
            interface="interface_declaration trait_declaration",
            enum="enum_declaration",
            method="method_declaration",
        ),
        several={
            "const_declaration": ("const_element", "constant"),
            "property_declaration": ("property_element", "field"),
        },
        through=frozenset({"ERROR", "namespace_definition", "compound_statement", "if_statement"}),
    ),
    "ruby": LanguageRules(
        _kinds(method="method singleton_method alias call", **{"class": "class"}, module="module"),
        several={"assignment": ("assignment", "constant")},
        through=frozenset({"ERROR", "begin_block", "if", "unless", "singleton_class", "body_statement"}),
    ),
    "bash": LanguageRules(
        _kinds(function="function_definition", variable="variable_assignment"),
        wrappers=frozenset({"declaration_command"}),
        through=frozenset({"ERROR", "if_statement"}),
    ),
    "css": LanguageRules(
        _kinds(rule="rule_set media_statement supports_statement keyframes_statement at_rule"),
        through=frozenset({"ERROR"}),
    ),
    "html": LanguageRules(_kinds(element="element"), through=frozenset({"ERROR"})),
    "svelte": LanguageRules(
        _kinds(element="element", function="snippet_statement"),
        through=frozenset({"ERROR", "if_statement", "each_statement", "await_statement", "key_statement"}),
    ),
    "vue": LanguageRules(_kinds(element="element"), through=frozenset({"ERROR"})),
    "json": LanguageRules(_kinds(key="pair"), through=frozenset({"object", "array", "ERROR"})),
    "yaml": LanguageRules(
        _kinds(key="block_mapping_pair"),
        through=frozenset({"document", "block_node", "block_mapping", "ERROR"}),
    ),
    "toml": LanguageRules(_kinds(key="pair", table="table table_array_element"), through=frozenset({"ERROR"})),
    "elixir": LanguageRules(
        _kinds(function="call unary_operator"),
        through=frozenset({"ERROR"}),
        decorators=frozenset({"unary_operator"}),
        clauses=True,
    ),
    "kotlin": LanguageRules(
        _kinds(
            **{"class": "class_declaration object_declaration"},
            function="function_declaration",
            property="property_declaration",
            type="type_alias",
        ),
        through=frozenset({"ERROR", "companion_object", "class_body"}),
        comments=frozenset({"line_comment", "block_comment"}),
    ),
    "lua": LanguageRules(
        _kinds(function="function_declaration", field="field"),
        several={
            "variable_declaration": ("assignment_statement", "variable"),
            "assignment_statement": ("assignment_statement", "variable"),
        },
        through=frozenset({"ERROR", "do_statement", "if_statement", "block"}),
    ),
    "scala": LanguageRules(
        _kinds(
            **{"class": "class_definition simple_enum_case full_enum_case"},
            interface="trait_definition",
            module="object_definition package_object",
            enum="enum_definition",
            function="function_definition function_declaration",
            variable="val_definition val_declaration var_definition var_declaration given_definition",
            type="type_definition",
        ),
        through=frozenset({"ERROR", "package_clause", "extension_definition", "template_body", "with_template_body",
             "enum_case_definitions"}),
        comments=frozenset({"comment", "block_comment"}),
    ),
    "swift": LanguageRules(
        _kinds(
            **{"class": "class_declaration"},
            interface="protocol_declaration",
            function="function_declaration protocol_function_declaration",
            method="init_declaration deinit_declaration subscript_declaration",
            property="property_declaration protocol_property_declaration",
            type="typealias_declaration",
        ),
        through=frozenset({"ERROR"}),
        comments=frozenset({"comment", "multiline_comment"}),
    ),
    "zig": LanguageRules(
        _kinds(function="function_declaration test_declaration", variable="variable_declaration"),
        through=frozenset(
            {"struct_declaration", "union_declaration", "opaque_declaration", "enum_declaration", "ERROR"}
        ),
    ),
    "markdown": LanguageRules(_kinds(heading="section"), comments=frozenset()),
}  # fmt: skip
