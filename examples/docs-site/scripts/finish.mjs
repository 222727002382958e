// Remove the client bundle: no page uses it (`csr = false`), and the framework writes it all the same.
import { rmSync } from 'node:fs';
import { join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
for (const unused of ['nodes', 'chunks', 'entry']) {
	rmSync(join(root, 'build/_app/immutable', unused), { recursive: true, force: true });
}
