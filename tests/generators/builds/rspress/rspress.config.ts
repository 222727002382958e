import { defineConfig } from 'rspress/config';

export default defineConfig({
  root: 'docs',
  title: 'Harbour handbook',
  lang: 'en-GB',
  themeConfig: {
    nav: [{ text: 'Knots', link: '/ropes' }],
    sidebar: { '/': [{ text: 'Installation', link: '/install' }, { text: 'Ropes', link: '/ropes' }] },
    footer: { message: 'Printed by the harbour office.' }
  }
});
