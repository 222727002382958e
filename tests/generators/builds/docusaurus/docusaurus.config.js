export default {
  title: 'Harbour handbook',
  url: 'https://harbour.example',
  baseUrl: '/',
  trailingSlash: false,
  i18n: { defaultLocale: 'en-GB', locales: ['en-GB', 'de'] },
  themes: ['@docusaurus/theme-classic'],
  plugins: [['@docusaurus/plugin-content-docs', { routeBasePath: '/', sidebarPath: './sidebars.js', editUrl: 'https://git.example/edit/' }]],
  themeConfig: {
    navbar: { title: 'Harbour', items: [{ type: 'docsVersionDropdown' }] },
    footer: { copyright: 'Printed by the harbour office.' }
  }
};
