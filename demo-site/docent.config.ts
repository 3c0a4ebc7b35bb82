/**
 * The configuration that the owner of this site would write. `start.ts` takes the site's name and
 * its starter questions from here, so that they are written once.
 */
export default {
  server: { port: 4320 },
  sites: [
    {
      domain: 'docent-docs',
      organization: 'docent',
      name: 'Docent',
      docs: { folder: 'docs', baseUrl: 'http://localhost:4321' },
      allowedOrigins: ['http://localhost:4321'],
      starterQuestions: [
        'How do I add the assistant to my site?',
        'Which language models can I use?',
        'What is stored about my readers?',
      ],
    },
  ],
};
