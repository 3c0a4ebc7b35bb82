/**
 * The configuration of this site. `start.ts` reads the name and the starter questions of the site from
 * here.
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
