import path from 'node:path';

const { resolveConfig } = await import('vite');
const config = await resolveConfig({ logLevel: 'silent' }, 'build', 'production');
const of = config.plugins.map((plugin) => plugin.api?.options).find((options) => options?.kit ?? options?.adapter);
const kit = of?.kit ?? of;
const inside = (file) => typeof file === 'string' ? (path.relative(process.cwd(), path.resolve(file))) : '';
const found = kit && {
  adapter: kit.adapter?.name ?? '', base: kit.paths?.base ?? '', src: inside(kit.files?.src ?? 'src'),
  routes: inside(kit.files?.routes), hooks: inside(kit.files?.hooks?.server)
};
console.log('searchsocket:' + JSON.stringify(found ?? {}));
process.exit(0);
