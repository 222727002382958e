export default {
  title: 'Harbour handbook',
  lang: 'en-GB',
  lastUpdated: false,
  sitemap: { hostname: 'https://harbour.example' },
  locales: { root: { label: 'English', lang: 'en-GB' }, de: { label: 'Deutsch', lang: 'de' } },
  themeConfig: {
    nav: [{ text: 'Knots', link: '/ropes' }],
    sidebar: [{ text: 'Guide', items: [{ text: 'Installation', link: '/install' }, { text: 'Ropes', link: '/ropes' }] }],
    editLink: { pattern: 'https://git.example/edit/:path' },
    footer: { message: 'Printed by the harbour office.' }
  }
};
