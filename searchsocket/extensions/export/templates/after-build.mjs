// Adds search to the built site; `$build_script` of package.json runs it last. $written
/* eslint-disable */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const cwd = fileURLToPath(new URL('$root', import.meta.url)); // folder of searchsocket.toml
const commands = [
  $lists,
];

if (spawnSync('searchsocket', ['--version'], { cwd }).error) {
  console.error('This build has no search, because searchsocket is not installed: pip install searchsocket');
  console.error('Set CI_STRICT=1 to let such a build fail.');
  process.exit(process.env.CI_STRICT ? 1 : 0);
}
for (const words of commands) {
  const { status } = spawnSync('searchsocket', words, { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
