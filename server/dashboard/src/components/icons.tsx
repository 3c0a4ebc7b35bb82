/** Line icons on a 24 px grid. */
const paths = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z',
  conversations: 'M4 5h16v11H9l-5 4z',
  feedback:
    'M7.5 20h-3v-9.5h3zM7.5 10.5L11 4a2 2 0 0 1 2.3 2.4l-.6 3.1h4.8a2 2 0 0 1 2 2.4l-1.3 6.5a2 2 0 0 1-2 1.6H7.5',
  gaps: 'M9.2 9a2.9 2.9 0 1 1 4.3 2.6c-1 .6-1.5 1.1-1.5 2.2M12 17v.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  playground: 'M5 7l5 5-5 5M12 18h7',
  sites: 'M6 4h9l4 4v12H6zM14.5 4v4.5H19M9.5 13h6M9.5 16.5h4',
  install: 'M9 8l-4 4 4 4M15 8l4 4-4 4',
  jobs: 'M7 5.5v8a4 4 0 0 0 4 4h6M7 3.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3zM18 16a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z',
  automations: 'M12 7v5l3.5 2M12 3.5a8.5 8.5 0 1 0 8.5 8.5M20.5 5v4.5H16',
  projects: 'M4 6.5a2 2 0 0 1 2-2h3.5l2 2.5H18a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2z',
  usage: 'M5 20V11M12 20V4M19 20v-6',
  keys: 'M14.5 4a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM10.5 13.5L4 20M6.5 17.5L9 20',
  webhooks:
    'M13.5 12L9.5 5.5a3 3 0 1 0-4 3.8M10 17.5h8a3 3 0 1 0-2.6-4.5M8 13l-3 1.5a3 3 0 1 0 4.5 3',
  people:
    'M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.9a3.5 3.5 0 0 1 0 6.2M18 14.5a6.5 6.5 0 0 1 3.5 5.5',
  audit: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  settings: 'M4 7h10M18 7h2M16 4.5v5M4 17h2M10 17h10M8 14.5v5',
  health: 'M3 12h4l3-7 4 14 3-7h4',
  profile: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5a7.5 7.5 0 0 1 15 0',
  search: 'M11 4.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM16 16l4 4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  plus: 'M12 5v14M5 12h14',
  copy: 'M9 9h10v10H9zM15 9V5H5v10h4',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  alert: 'M12 8.5v4.5M12 16.5v.01M12 3.5l9 16H3z',
  info: 'M12 11v5.5M12 7.5v.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  up: 'M12 19V5M6 11l6-6 6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  right: 'M9 5l7 7-7 7',
  chevrons: 'M8 10l4-4 4 4M8 14l4 4 4-4',
  link: 'M10 14a4.2 4.2 0 0 0 6.2.4l3-3a4.2 4.2 0 0 0-6-6l-1.2 1.2M14 10a4.2 4.2 0 0 0-6.2-.4l-3 3a4.2 4.2 0 0 0 6 6l1.2-1.2',
  reload: 'M19 12a7 7 0 1 1-2.2-5.1M19 4v4h-4',
  download: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
  delete: 'M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7M10.5 11v5M13.5 11v5',
  edit: 'M5 19l1-4L16.5 4.5l3 3L9 18zM14 7l3 3',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  exit: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name }: { name: IconName }) => (
  <svg viewBox="0 0 24 24" aria-hidden="true" class="icon">
    <path d={paths[name]} />
  </svg>
);

export const Logo = () => (
  <svg viewBox="0 0 32 32" aria-hidden="true" class="logo">
    <rect width="32" height="32" rx="8" />
    <path d="M10 8.5h5.5a7.5 7.5 0 0 1 0 15H10z" />
    <circle cx="15.4" cy="16" r="2.1" />
  </svg>
);
