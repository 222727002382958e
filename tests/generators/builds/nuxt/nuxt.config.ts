export default defineNuxtConfig({
  app: { head: { htmlAttrs: { lang: 'en-GB' }, titleTemplate: '%s · Harbour handbook' } },
  telemetry: false
});
