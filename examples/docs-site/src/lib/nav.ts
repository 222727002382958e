/** The order of the documentation: the sidebar, the previous/next links and the list of all pages. */
export type Item = { href: string; label: string };
export type Group = { title: string; items: Item[] };

export const groups: Group[] = [
	{
		title: 'Get started',
		items: [
			{ href: '/start', label: 'Quick start' },
			{ href: '/docs', label: 'Overview' },
			{ href: '/docs/install', label: 'Install' },
			{ href: '/docs/architecture', label: 'How it works' },
			{ href: '/docs/cheatsheet', label: 'Cheat sheet' }
		]
	},
	{
		title: 'Concepts',
		items: [
			{ href: '/docs/concepts', label: 'Words we use' },
			{ href: '/docs/concepts/scopes', label: 'Scopes' },
			{ href: '/docs/concepts/mirror', label: 'The mirror' },
			{ href: '/docs/concepts/chunks', label: 'Pages and chunks' },
			{ href: '/docs/concepts/identities', label: 'Identities and hashes' },
			{ href: '/docs/concepts/generations', label: 'Generations' },
			{ href: '/docs/concepts/embedding-cache', label: 'The embedding cache' },
			{ href: '/docs/concepts/state', label: 'State on disk' }
		]
	},
	{
		title: 'Sources',
		items: [
			{ href: '/docs/sources', label: 'Choosing a source' },
			{ href: '/docs/sources/static-output', label: 'Static output' },
			{ href: '/docs/sources/content-files', label: 'Content files' },
			{ href: '/docs/sources/git-branch', label: 'Git branch' },
			{ href: '/docs/sources/crawl', label: 'Crawl' },
			{ href: '/docs/sources/records', label: 'Records' }
		]
	},
	{
		title: 'Indexing',
		items: [
			{ href: '/docs/indexing', label: 'Overview' },
			{ href: '/docs/indexing/extraction', label: 'Extraction' },
			{ href: '/docs/indexing/extraction/author-controls', label: 'Author controls' },
			{ href: '/docs/indexing/extraction/markup', label: 'How markup is converted' },
			{ href: '/docs/indexing/mirror-format', label: 'Mirror format' },
			{ href: '/docs/indexing/routes', label: 'Route files' },
			{ href: '/docs/indexing/links', label: 'Links' },
			{ href: '/docs/indexing/versions-and-languages', label: 'Versions and languages' },
			{ href: '/docs/indexing/chunking', label: 'Chunking' },
			{ href: '/docs/indexing/source-code', label: 'Source code' },
			{ href: '/docs/indexing/code-for-agents', label: 'Source code for agents' },
			{ href: '/docs/indexing/embeddings', label: 'Embeddings' },
			{ href: '/docs/indexing/embeddings/openai', label: 'OpenAI and other servers' },
			{ href: '/docs/indexing/embeddings/write-an-embedder', label: 'Write an embedder' },
			{ href: '/docs/indexing/embeddings/cost', label: 'Cost and budget' },
			{ href: '/docs/indexing/incremental', label: 'Incremental runs' },
			{ href: '/docs/indexing/publishing', label: 'Publishing' },
			{ href: '/docs/indexing/publishing/rollback', label: 'Rollback' },
			{ href: '/docs/indexing/deletion', label: 'Deletion' }
		]
	},
	{
		title: 'Searching',
		items: [
			{ href: '/docs/search', label: 'How a query is answered' },
			{ href: '/docs/search/answers', label: 'Answers in sentences' },
			{ href: '/docs/search/ranking', label: 'Ranking' },
			{ href: '/docs/search/curation', label: 'Curation' },
			{ href: '/docs/search/golden-queries', label: 'Golden queries' },
			{ href: '/docs/search/demand', label: 'Search demand' },
			{ href: '/docs/search/reranking', label: 'Reranking' },
			{ href: '/docs/search/filters', label: 'Filters and grouping' },
			{ href: '/docs/search/snippets', label: 'Snippets' }
		]
	},
	{
		title: 'HTTP API',
		items: [
			{ href: '/docs/api', label: 'The service' },
			{ href: '/docs/api/search', label: 'Search' },
			{ href: '/docs/api/find', label: 'Find' },
			{ href: '/docs/api/content', label: 'Content' },
			{ href: '/docs/api/ask', label: 'Ask' },
			{ href: '/docs/api/pages', label: 'Pages' },
			{ href: '/docs/api/health', label: 'Health' },
			{ href: '/docs/security', label: 'Security' },
			{ href: '/docs/redaction', label: 'Redaction' }
		]
	},
	{
		title: 'Command line',
		items: [
			{ href: '/docs/cli', label: 'All commands' },
			{ href: '/docs/cli/searchsocket-init', label: 'init' },
			{ href: '/docs/cli/searchsocket-static', label: 'static' },
			{ href: '/docs/cli/searchsocket-index', label: 'index' },
			{ href: '/docs/cli/searchsocket-backfill', label: 'backfill' },
			{ href: '/docs/cli/searchsocket-search', label: 'search' },
			{ href: '/docs/cli/searchsocket-code', label: 'code' },
			{ href: '/docs/cli/searchsocket-find', label: 'find' },
			{ href: '/docs/cli/searchsocket-ask', label: 'ask' },
			{ href: '/docs/cli/searchsocket-status', label: 'status' },
			{ href: '/docs/cli/searchsocket-scopes', label: 'scopes' },
			{ href: '/docs/cli/searchsocket-doctor', label: 'doctor' },
			{ href: '/docs/cli/searchsocket-export', label: 'export' },
			{ href: '/docs/cli/searchsocket-test', label: 'test' },
			{ href: '/docs/cli/searchsocket-demand', label: 'demand' },
			{ href: '/docs/cli/searchsocket-diff', label: 'diff' },
			{ href: '/docs/cli/searchsocket-clean', label: 'clean' },
			{ href: '/docs/cli/searchsocket-cache', label: 'cache' },
			{ href: '/docs/cli/searchsocket-artifacts', label: 'artifacts' },
			{ href: '/docs/cli/searchsocket-rollback', label: 'rollback' },
			{ href: '/docs/cli/searchsocket-upgrade', label: 'upgrade' },
			{ href: '/docs/cli/searchsocket-prune', label: 'prune' },
			{ href: '/docs/cli/searchsocket-serve', label: 'serve' },
			{ href: '/docs/cli/searchsocket-dev', label: 'dev' },
			{ href: '/docs/cli/searchsocket-mcp', label: 'mcp' },
			{ href: '/docs/cli/searchsocket-config', label: 'config' },
			{ href: '/docs/cli/searchsocket-dagster', label: 'dagster' },
			{ href: '/docs/cli/searchsocket-completion', label: 'completion' }
		]
	},
	{
		title: 'Configuration',
		items: [
			{ href: '/docs/configuration', label: 'The file' },
			{ href: '/docs/configuration/reference', label: 'Every key' },
			{ href: '/docs/configuration/environment', label: 'Environment' }
		]
	},
	{
		title: 'Dagster',
		items: [
			{ href: '/docs/dagster', label: 'Running Dagster' },
			{ href: '/docs/dagster/your-dagster', label: 'In your Dagster' },
			{ href: '/docs/dagster/assets', label: 'Assets and partitions' },
			{ href: '/docs/dagster/checks', label: 'Checks' },
			{ href: '/docs/dagster/jobs', label: 'Jobs and runs' },
			{ href: '/docs/dagster/testing', label: 'Test your deployment' }
		]
	},
	{
		title: 'Recipes',
		items: [
			{ href: '/docs/recipes/coming-from', label: 'Coming from Algolia or Pagefind' },
			{ href: '/docs/recipes/deploy', label: 'Deploy it' },
			{ href: '/docs/recipes/containers', label: 'Docker and Kubernetes' },
			{ href: '/docs/recipes/upgrade', label: 'Upgrade, back up, remove' },
			{ href: '/docs/recipes/alerts', label: 'Alerts and a dashboard' },
			{ href: '/docs/recipes/github-actions', label: 'GitHub Actions' },
			{ href: '/docs/recipes/preview-branches', label: 'Preview branches' },
			{ href: '/docs/recipes/pull-request-comment', label: 'Pull request comment' },
			{ href: '/docs/recipes/search-box', label: 'A search box' },
			{ href: '/docs/recipes/sveltekit-handle', label: 'Search in SvelteKit' },
			{ href: '/docs/recipes/llms-txt', label: 'llms.txt' },
			{ href: '/docs/agents', label: 'Search for AI agents' },
			{ href: '/docs/recipes/review-the-mirror', label: 'Review the mirror' },
			{ href: '/docs/recipes/static-search', label: 'Search without a server' },
			{ href: '/docs/recipes/static-hosts', label: 'Hosts of static files' },
			{ href: '/docs/recipes/several-sites', label: 'Several sites' },
			{ href: '/docs/recipes/serve-elsewhere', label: 'Serve from another machine' },
			{ href: '/docs/recipes/milvus', label: 'Milvus' },
			{ href: '/docs/recipes/pinecone', label: 'Pinecone' },
			{ href: '/docs/recipes/pgvector', label: 'Postgres' },
			{ href: '/docs/recipes/qdrant', label: 'Qdrant' },
			{ href: '/docs/recipes/write-a-store', label: 'Write a store' },
			{ href: '/docs/recipes/write-an-extension', label: 'Write an extension' }
		]
	},
	{
		title: 'Help',
		items: [
			{ href: '/docs/troubleshooting', label: 'Error codes' },
			{ href: '/docs/faq', label: 'Questions' },
			{ href: '/docs/limits', label: 'Limits' },
			{ href: '/docs/glossary', label: 'Glossary' }
		]
	}
];

export const items: Item[] = groups.flatMap((group) => group.items);
