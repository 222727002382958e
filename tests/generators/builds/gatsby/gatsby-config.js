module.exports = { siteMetadata: { title: 'Harbour handbook' } };
