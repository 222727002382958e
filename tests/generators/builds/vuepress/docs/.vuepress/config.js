import { viteBundler } from '@vuepress/bundler-vite';
import { defaultTheme } from '@vuepress/theme-default';
export default {
  bundler: viteBundler(),
  lang: 'en-GB',
  title: 'Harbour handbook',
  theme: defaultTheme({
    navbar: [{ text: 'Knots', link: '/ropes.html' }],
    sidebar: ['/install.html', '/ropes.html'],
    docsRepo: 'https://git.example/harbour'
  })
};
