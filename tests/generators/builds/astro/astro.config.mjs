import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';

export default defineConfig({
  site: 'https://harbour.example',
  integrations: [
    starlight({
      title: 'Harbour handbook',
      defaultLocale: 'root',
      locales: { root: { label: 'English', lang: 'en-GB' }, de: { label: 'Deutsch', lang: 'de' } },
      editLink: { baseUrl: 'https://git.example/edit/' },
      sidebar: [{ label: 'Guide', items: ['install', 'ropes'] }]
    })
  ]
});
