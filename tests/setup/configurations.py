"""Small sites of each generator, as their owners configure them, and what `init --static` makes of them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

TEXT = "# Ropes and knots\n\nA bowline makes a loop that does not slip. Tie the bowline with the free end of a rope.\n"
HTML = "<h1>Ropes and knots</h1><p>A bowline makes a loop that does not slip. Tie the bowline with a rope.</p>"
STEP = "node searchsocket-build.mjs"
EXPORT = ("searchsocket index", "searchsocket export {}/searchsocket")


def package(build: str, name: str = "build", **others: object) -> str:
    """Return a `package.json` with one script."""
    return json.dumps({"name": "harbour", "type": "module", "scripts": {name: build}, **others}, indent=2) + "\n"


@dataclass(frozen=True, slots=True)
class Configuration:
    """A site before `init --static`, and the outcome."""

    name: str
    generator: str  # "" for none
    files: Mapping[str, str]
    deployed: str  # folder that the host publishes; "" if it cannot be determined
    shown: Mapping[str, str] = field(default_factory=dict)  # edited or new files -> a line in them
    by_hand: tuple[str, ...] = ()  # files with lines for the owner
    base: str = ""
    modules: str = ""  # packages that build it
    build: str = ""  # command that builds it; "" for the one that init prints
    is_injected: bool = False  # True if `searchsocket static` adds search to the built pages

    @property
    def after_build(self) -> list[str]:
        """Return the commands after the build, as `init` reports them."""
        folder = self.deployed or "FOLDER"
        return [f"searchsocket static {folder}"] if self.is_injected else [line.format(folder) for line in EXPORT]


KIT_PAGE = {
    "src/app.html": "<!doctype html><html lang='en'><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>",
    "src/routes/+page.svelte": f"<svelte:head><title>Home</title></svelte:head><main>{HTML}</main>\n",
    "src/routes/ropes/+page.svelte": f"<svelte:head><title>Ropes</title></svelte:head><main>{HTML}</main>\n",
}
PRERENDER = {"src/routes/+layout.ts": "export const prerender = true;\n"}
KIT_PACKAGE = {
    "package.json": package("vite build", devDependencies={"@sveltejs/kit": "^2.0.0", "svelte": "^5.0.0"}),
    "vite.config.js": "import { sveltekit } from '@sveltejs/kit/vite';\nexport default { plugins: [sveltekit()] };\n",
}


def kit(adapter: str, options: str = "", paths: str = "") -> dict[str, str]:
    """Return the files of a SvelteKit site with an adapter."""
    config = (
        f"import adapter from '@sveltejs/adapter-{adapter}';\n"
        f"export default {{ kit: {{ adapter: adapter({options}){paths} }} }};\n"
    )
    return {**KIT_PAGE, **PRERENDER, **KIT_PACKAGE, "svelte.config.js": config, "tsconfig.json": "{}\n"}


VITEPRESS = {
    "docs/index.md": TEXT,
    "docs/ropes.md": TEXT,
    "docs/.vitepress/config.mts": "import { defineConfig } from 'vitepress';\n\nexport default defineConfig({\n"
    "  title: 'Harbour',\n  themeConfig: {\n    search: {\n      provider: 'local',\n    },\n  },\n});\n",
    "package.json": package("vitepress build docs", "docs:build"),
}
THEME = "import DefaultTheme from 'vitepress/theme';\nimport { h } from 'vue';\n"
VITEPRESS_SLOT = "'nav-bar-content-before': search,"
DOCUSAURUS = {
    "docusaurus.config.js": "export default {\n  title: 'Harbour',\n  url: 'https://harbour.dev',\n  baseUrl: '/',\n"
    "  presets: [['classic', { docs: { routeBasePath: '/' }, blog: false }]],\n};\n",
    "docs/index.md": TEXT,
    "docs/ropes.md": TEXT,
    "package.json": package("docusaurus build").replace('  "type": "module",\n', ""),
}
STARLIGHT = {
    "astro.config.mjs": "import { defineConfig } from 'astro/config';\nimport starlight from '@astrojs/starlight';\n\n"
    "export default defineConfig({\n  integrations: [\n    starlight({\n      title: 'Harbour',\n    }),\n  ],\n});\n",
    "src/content.config.ts": "import { defineCollection } from 'astro:content';\n"
    "import { docsLoader } from '@astrojs/starlight/loaders';\n"
    "import { docsSchema } from '@astrojs/starlight/schema';\n"
    "export const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) };\n",
    "src/content/docs/index.md": "---\ntitle: Home\n---\nWelcome.\n",
    "src/content/docs/ropes.md": TEXT.replace("# Ropes and knots\n", "---\ntitle: Ropes and knots\n---\n"),
    "package.json": package("astro build"),
}
STARLIGHT_LINE = "Search: './src/searchsocket/Search.astro'"
PAGE_OF_ASTRO = f"<html lang='en'><head><title>Harbour</title></head><body><main>{HTML}</main></body></html>\n"
ASTRO = {
    "astro.config.mjs": "export default { site: 'https://harbour.dev', base: '/docs' };\n",
    "src/pages/index.astro": PAGE_OF_ASTRO,
    "src/pages/ropes.astro": PAGE_OF_ASTRO,
    "package.json": package("astro build"),
}
NEXT = {
    "next.config.mjs": "export default { output: 'export', basePath: '/docs' };\n",
    "app/layout.js": "export const metadata = { title: 'Harbour' };\nexport default ({ children }) => "
    "<html lang='en'><body>{children}</body></html>;\n",
    "app/page.js": f"export default () => <main>{HTML}</main>;\n",
    "app/ropes/page.js": f"export default () => <main>{HTML}</main>;\n",
    "package.json": package("next build"),
}
NUXT = {
    "nuxt.config.ts": "export default defineNuxtConfig({ app: { baseURL: '/docs/' }, telemetry: false });\n",
    "pages/index.vue": f"<template><main>{HTML}<NuxtLink to='/ropes'>Ropes</NuxtLink></main></template>\n",
    "pages/ropes.vue": f"<template><main>{HTML}</main></template>\n",
    "package.json": package("nuxt generate", "generate"),
}
LAYOUT = "<!doctype html><html lang='en'><head><title>Harbour</title></head><body><main>CONTENT</main></body></html>\n"
ELEVENTY = {
    "eleventy.config.js": "export default function (config) {}\nexport const config = { dir: { input: 'content', "
    "includes: '../_includes', output: 'www' } };\n",
    "_includes/base.njk": LAYOUT.replace("CONTENT", "{{ content | safe }}"),
    "content/index.md": f"---\nlayout: base.njk\n---\n{TEXT}",
    "content/ropes.md": f"---\nlayout: base.njk\n---\n{TEXT}",
    "package.json": package("npx @11ty/eleventy"),
}
HUGO_PAGES = {
    "content/_index.md": f"---\ntitle: Home\n---\n{TEXT}",
    "content/ropes.md": f"---\ntitle: Ropes\n---\n{TEXT}",
    "layouts/_default/baseof.html": LAYOUT.replace("CONTENT", '{{ block "main" . }}{{ end }}'),
    "layouts/_default/single.html": '{{ define "main" }}{{ .Content }}{{ end }}\n',
    "layouts/index.html": '{{ define "main" }}{{ .Content }}{{ end }}\n',
}
MATERIAL = {
    "mkdocs.yml": "site_name: Harbour\nsite_url: https://harbour.dev/docs/\ntheme:\n  name: material\n",
    "docs/index.md": TEXT,
    "docs/ropes.md": TEXT,
}
PARTIAL = "<searchsocket-dialog static></searchsocket-dialog>"
BOOK = {
    "book.toml": '[book]\ntitle = "Harbour"\n',
    "src/SUMMARY.md": "- [Ropes](ropes.md)\n",
    "src/ropes.md": TEXT,
}
SPHINX = {
    "docs/source/conf.py": "project = 'Harbour'\nhtml_theme = 'furo'\n",
    "docs/source/index.rst": "Harbour\n=======\n\nA bowline makes a loop.\n\n.. toctree::\n\n   ropes\n",
    "docs/source/ropes.rst": "Ropes and knots\n===============\n\nA bowline makes a loop that does not slip.\n",
    "docs/Makefile": "SOURCEDIR = source\nBUILDDIR = build\n\nhtml:\n\tsphinx-build -M html $(SOURCEDIR) $(BUILDDIR)\n",
}

CONFIGURATIONS = (
    Configuration(
        "SvelteKit, adapter-static",
        "SvelteKit",
        kit("static"),
        "build",
        {"package.json": f'"postbuild": "{STEP}"', "src/routes/+layout.svelte": "<Search />"},
        modules="kit",
    ),
    Configuration(
        "SvelteKit, adapter-static in vite.config.ts",
        "SvelteKit",
        {
            **KIT_PAGE,
            **PRERENDER,
            **KIT_PACKAGE,
            "vite.config.js": "import adapter from '@sveltejs/adapter-static';\nimport { sveltekit } from "
            "'@sveltejs/kit/vite';\nexport default { plugins: [sveltekit({ adapter: adapter() })] };\n",
        },
        "build",
        {"package.json": f'"postbuild": "{STEP}"'},
        modules="kit",
    ),
    Configuration(
        "SvelteKit, other folder and base path",
        "SvelteKit",
        kit("static", "{ pages: 'www' }", ", paths: { base: '/docs' }"),
        "www",
        {"src/lib/searchsocket/Search.svelte": 'static="/docs/searchsocket/"'},
        base="/docs",
        modules="kit",
    ),
    Configuration(
        "SvelteKit, adapter-node, own layout",
        "SvelteKit",
        kit("node")
        | {
            "src/routes/+layout.svelte": "<script>\n\tlet { children } = $props();\n</script>\n\n"
            "<header>Harbour</header>\n{@render children()}\n"
        },
        "build/client",
        {"src/routes/+layout.svelte": "<header>Harbour</header>"},
        modules="kit",
    ),
    Configuration("SvelteKit, adapter-auto", "SvelteKit", kit("auto"), "", modules="kit"),
    Configuration(
        "VitePress, folder docs",
        "VitePress",
        VITEPRESS,
        "docs/.vitepress/dist",
        {
            "docs/.vitepress/theme/index.js": VITEPRESS_SLOT,
            "package.json": f'"postdocs:build": "{STEP}"',
            "docs/.vitepress/config.mts": "themeConfig: {\n  },",
        },
        modules="vitepress",
    ),
    Configuration(
        "VitePress, own layout in short",
        "VitePress",
        VITEPRESS
        | {
            "docs/.vitepress/theme/index.ts": f"{THEME}import Layout from './Layout.vue';\n\n"
            "export default { extends: DefaultTheme, Layout };\n",
            "docs/.vitepress/theme/Layout.vue": "<script setup>\n"
            "import DefaultTheme from 'vitepress/theme';\n</script>\n<template><DefaultTheme.Layout /></template>\n",
        },
        "docs/.vitepress/dist",
        {"package.json": f'"postdocs:build": "{STEP}"'},
        ("docs/.vitepress/theme/index.ts", "docs/.vitepress/config.mts"),
        modules="vitepress",
    ),
    Configuration(
        "VitePress, layout with a slot",
        "VitePress",
        VITEPRESS
        | {
            "docs/.vitepress/theme/index.ts": f"{THEME}\nexport default {{\n  extends: DefaultTheme,\n  Layout() {{\n"
            "    return h(DefaultTheme.Layout, null, {\n      'doc-before': () => h('p', 'Draft'),\n    });\n  },\n};\n"
        },
        "docs/.vitepress/dist",
        {
            "docs/.vitepress/theme/index.ts": f"null, {{\n      {VITEPRESS_SLOT}",
            "docs/.vitepress/config.mts": "themeConfig: {\n  },",
        },
        modules="vitepress",
    ),
    Configuration(
        "VitePress, pnpm 8, --outDir, base path",
        "VitePress",
        {
            "index.md": TEXT,
            "ropes.md": TEXT,
            ".vitepress/config.js": "export default { base: '/docs/' };\n",
            "package.json": package("vitepress build --outDir www", packageManager="pnpm@8.15.0"),
            "pnpm-lock.yaml": "",
        },
        "www",
        {
            "package.json": f'"build": "vitepress build --outDir www && {STEP}"',
            ".vitepress/searchsocket/search.js": "static: '/docs/searchsocket/'",
        },
        base="/docs",
        modules="vitepress",
        build=f"npx vitepress build --outDir www && {STEP}",
    ),
    Configuration(
        "VuePress",
        "VuePress",
        {
            "docs/.vuepress/config.js": "import { viteBundler } from '@vuepress/bundler-vite';\n"
            "import { defaultTheme } from '@vuepress/theme-default';\n"
            "export default { bundler: viteBundler(), theme: defaultTheme() };\n",
            "docs/README.md": TEXT,
            "docs/ropes.md": TEXT,
            "package.json": package("vuepress build docs", "docs:build"),
        },
        "docs/.vuepress/dist",
        {"package.json": f'"postdocs:build": "{STEP}"', "searchsocket-build.mjs": "['static', 'docs/.vuepress/dist']"},
        modules="vuepress",
        is_injected=True,
    ),
    Configuration(
        "Docusaurus",
        "Docusaurus",
        DOCUSAURUS,
        "build",
        {"docusaurus.config.js": "themes: ['./searchsocket'],", "package.json": f'"postbuild": "{STEP}"'},
        modules="docusaurus",
    ),
    Configuration(
        "Docusaurus, TypeScript, in a folder of its repository",
        "Docusaurus",
        {
            "package.json": package("tsc"),
            **{f"website/{name}": text for name, text in DOCUSAURUS.items() if name != "docusaurus.config.js"},
            "website/docusaurus.config.ts": "import type { Config } from '@docusaurus/types';\n\n"
            "const config: Config = {\n  title: 'Harbour',\n  url: 'https://harbour.dev',\n  baseUrl: '/harbour/',\n"
            "  presets: [['classic', { docs: { routeBasePath: '/' }, blog: false }]],\n};\n\nexport default config;\n",
        },
        "website/build",
        {
            "website/package.json": f'"postbuild": "{STEP}"',
            "website/searchsocket-build.mjs": "['export', 'website/build/searchsocket']",
            "website/docusaurus.config.ts": "themes: ['./searchsocket'],",
            "website/searchsocket/theme/SearchBar.js": 'static="/harbour/searchsocket/"',
        },
        base="/harbour",
        modules="docusaurus",
    ),
    Configuration(
        "Docusaurus, own search bar",
        "Docusaurus",
        DOCUSAURUS | {"src/theme/SearchBar/index.tsx": "export default () => null;\n"},
        "build",
        {"docusaurus.config.js": "themes: ['./searchsocket'],"},
        ("src/theme/SearchBar/index.tsx",),
        modules="docusaurus",
    ),
    Configuration(
        "Starlight",
        "Starlight",
        STARLIGHT,
        "dist",
        {"astro.config.mjs": f"components: {{ {STARLIGHT_LINE} }},", "package.json": f'"postbuild": "{STEP}"'},
        modules="astro",
    ),
    Configuration(
        "Starlight, own components, bun",
        "Starlight",
        STARLIGHT
        | {
            "astro.config.mjs": STARLIGHT["astro.config.mjs"].replace(
                "      title: 'Harbour',\n",
                "      title: 'Harbour',\n      components: {\n        Footer: './src/Footer.astro',\n      },\n",
            ),
            "src/Footer.astro": "<p>Harbour</p>\n",
            "bun.lock": "",
        },
        "dist",
        {"astro.config.mjs": f"{STARLIGHT_LINE},", "package.json": '"postbuild": "bun searchsocket-build.mjs"'},
        modules="astro",
        build=f"npx astro build && {STEP}",
    ),
    Configuration(
        "Astro, base path, pnpm 10",
        "Astro",
        ASTRO | {"pnpm-lock.yaml": "", "package.json": package("astro build", packageManager="pnpm@10.0.0")},
        "dist",
        {"package.json": f'"postbuild": "{STEP}"', "searchsocket-build.mjs": "['static', 'dist']"},
        base="/docs",
        modules="astro",
        build=f"npx astro build && {STEP}",
        is_injected=True,
    ),
    Configuration(
        "Astro, node adapter",
        "Astro",
        ASTRO
        | {
            "astro.config.mjs": "import node from '@astrojs/node';\n"
            "export default { adapter: node({ mode: 'standalone' }) };\n"
        },
        "dist/client",
        {"searchsocket-build.mjs": "['static', 'dist/client']"},
        modules="astro",
        is_injected=True,
    ),
    Configuration(
        "Next.js, static export, own postbuild",
        "Next.js",
        NEXT | {"package.json": package("next build").replace('build"\n', 'build",\n    "postbuild": "echo done"\n')},
        "out",
        {"package.json": f'"postbuild": "echo done && {STEP}"'},
        base="/docs",
        modules="next",
        is_injected=True,
    ),
    Configuration(
        "Next.js, with its server",
        "Next.js",
        NEXT | {"next.config.mjs": "export default {};\n"},
        "",
        is_injected=True,
    ),
    Configuration(
        "Nuxt, Yarn 4",
        "Nuxt",
        NUXT | {"yarn.lock": "__metadata:\n  version: 8\n"},
        ".output/public",
        {"package.json": f'"generate": "nuxt generate && {STEP}"'},
        base="/docs",
        modules="nuxt",
        build=f"npx nuxt generate && {STEP}",
        is_injected=True,
    ),
    Configuration(
        "Eleventy",
        "Eleventy",
        ELEVENTY,
        "www",
        {"package.json": f'"postbuild": "{STEP}"', "searchsocket-build.mjs": "['static', 'www']"},
        modules="eleventy",
        is_injected=True,
    ),
    Configuration(
        "Hugo",
        "Hugo",
        {"hugo.toml": "baseURL = 'https://harbour.dev/docs/'\ntitle = 'Harbour'\n", **HUGO_PAGES},
        "public",
        base="/docs",
        is_injected=True,
    ),
    Configuration(
        "Hugo, modules, folder of configurations, npm",
        "Hugo",
        {
            "config/_default/hugo.yaml": "baseURL: https://harbour.dev/\npublishDir: www\n",
            "config/_default/module.yaml": "mounts:\n  - source: content\n    target: content\n",
            "package.json": package("hugo --minify"),
            **HUGO_PAGES,
        },
        "www",
        {"package.json": f'"postbuild": "{STEP}"'},
        is_injected=True,
    ),
    Configuration(
        "Jekyll",
        "Jekyll",
        {
            "_config.yml": "title: Harbour\nbaseurl: /docs\n",
            "_layouts/default.html": LAYOUT.replace("CONTENT", "{{ content }}"),
            "index.md": f"---\nlayout: default\n---\n{TEXT}",
            "ropes.md": f"---\nlayout: default\n---\n{TEXT}",
        },
        "_site",
        base="/docs",
        build="jekyll build",
        is_injected=True,
    ),
    Configuration(
        "Zola",
        "Zola",
        {"config.toml": "base_url = 'https://harbour.dev'\n", "content/_index.md": f"+++\n+++\n{TEXT}"},
        "public",
        is_injected=True,
    ),
    Configuration(
        "Material for MkDocs",
        "MkDocs",
        MATERIAL,
        "site",
        {"mkdocs.yml": "custom_dir: overrides", "overrides/partials/search.html": PARTIAL},
        base="/docs",
        modules="py",
    ),
    Configuration(
        "Material, plugins in one line, own folder of templates",
        "MkDocs",
        MATERIAL
        | {
            "mkdocs.yml": MATERIAL["mkdocs.yml"] + "  custom_dir: theme\nplugins: [search]\n",
            "theme/main.html": '{% extends "base.html" %}\n',
        },
        "site",
        {"theme/partials/search.html": PARTIAL},
        base="/docs",
        modules="py",
    ),
    Configuration(
        "Material, own search",
        "MkDocs",
        MATERIAL
        | {
            "mkdocs.yml": MATERIAL["mkdocs.yml"] + "  custom_dir: theme\nplugins:\n  search:\n    lang: en\n",
            "theme/partials/search.html": "<b>ours</b>\n",
        },
        "site",
        by_hand=("theme/partials/search.html",),
        base="/docs",
        modules="py",
    ),
    Configuration(
        "MkDocs, its own theme",
        "MkDocs",
        MATERIAL | {"mkdocs.yml": "site_name: Harbour\nsite_dir: www\n"},
        "www",
        {"mkdocs.yml": "  - path: searchsocket/search.js\n    type: module\n"},
        modules="py",
    ),
    Configuration(
        "mdBook, two renderers",
        "mdBook",
        BOOK | {"book.toml": BOOK["book.toml"] + "\n[output.html]\n\n[output.markdown]\n"},
        "book/html",
        {"theme/head.hbs": "searchsocket/search.js", "book.toml": "[output.html.search]\nenable = false"},
    ),
    Configuration(
        "Sphinx, Furo, source and build",
        "Sphinx",
        SPHINX,
        "docs/build/html",
        modules="py",
        is_injected=True,
    ),
    Configuration(
        "Sphinx, Read the Docs",
        "Sphinx",
        {
            "docs/conf.py": "project = 'Harbour'\nhtml_theme = 'sphinx_rtd_theme'\n",
            **{name.replace("source/", ""): text for name, text in SPHINX.items() if name.endswith(".rst")},
        },
        "docs/_build/html",
        modules="py",
        is_injected=True,
    ),
    Configuration(
        "Sphinx, pydata",
        "Sphinx",
        SPHINX | {"docs/source/conf.py": "project = 'Harbour'\nhtml_theme = 'pydata_sphinx_theme'\n"},
        "docs/build/html",
        modules="py",
        is_injected=True,
    ),
    Configuration(
        "Zensical",
        "Zensical",
        {"zensical.toml": '[project]\nsite_name = "Harbour"\n', "docs/index.md": TEXT, "docs/ropes.md": TEXT},
        "site",
        modules="py",
        is_injected=True,
    ),
    Configuration(
        "Antora",
        "Antora",
        {
            "antora-playbook.yml": "site:\n  title: Harbour\ncontent:\n  sources:\n    - url: .\n      branches: HEAD\n"
            "ui:\n  bundle:\n    url: ./ui\n",
            "antora.yml": "name: harbour\nversion: ~\n",
            "modules/ROOT/pages/index.adoc": "= Ropes\n\nA bowline makes a loop.\n",
            "package.json": package("antora antora-playbook.yml"),
        },
        "build/site",
        {"package.json": f'"postbuild": "{STEP}"'},
        is_injected=True,
    ),
    Configuration(
        "plain HTML",
        "",
        {
            "public/index.html": LAYOUT.replace("CONTENT", HTML),
            "public/ropes.html": LAYOUT.replace("CONTENT", HTML),
        },
        "public",
        is_injected=True,
        build="true",
    ),
)
