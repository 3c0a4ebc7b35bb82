/** Mirrored in right-to-left text. */
const pointing = 'icon pointing';

/** Line icons on a 24 px grid. */
function icon(path: string, className = 'icon') {
  return () => (
    <svg viewBox="0 0 24 24" aria-hidden="true" class={className}>
      <path d={path} />
    </svg>
  );
}

export const CloseIcon = icon('M6 6l12 12M18 6L6 18');
export const NewIcon = icon('M12 5v14M5 12h14');
export const SendIcon = icon('M12 19V5M6 11l6-6 6 6');
export const StopIcon = icon('M7 7h10v10H7z');
export const CopyIcon = icon('M9 9h10v10H9zM15 9V5H5v10h4');
export const CheckIcon = icon('M5 12.5l4.5 4.5L19 7.5');
export const RetryIcon = icon('M19 12a7 7 0 1 1-2.2-5.1M19 4v4h-4');
export const EditIcon = icon('M5 19h4L18.5 9.5l-4-4L5 15zM13 7l4 4');
export const DownIcon = icon('M12 5v14M6 13l6 6 6-6');
export const ArrowIcon = icon('M7 17L17 7M9 7h8v8', pointing);
export const QuoteIcon = icon('M5 7h14M5 12h14M5 17h8', pointing);
export const CodeIcon = icon('M9 8l-4 4 4 4M15 8l4 4-4 4');
export const MoreIcon = icon('M5 12h.01M12 12h.01M19 12h.01');
export const WidenIcon = icon('M14 5h5v5M10 19H5v-5M19 5l-6 6M5 19l6-6');
export const ShrinkIcon = icon('M13 6v5h5M11 18v-5H6M19 5l-6 6M5 19l6-6');
export const ThumbUpIcon = icon(
  'M7.5 20H4.5V10.5H7.5zM7.5 10.5L11 4a2 2 0 0 1 2.3 2.4L12.7 9.5H17.5a2 2 0 0 1 2 2.4l-1.3 6.5a2 2 0 0 1-2 1.6H7.5',
);
export const ThumbDownIcon = icon(
  'M16.5 4h3v9.5h-3zM16.5 13.5L13 20a2 2 0 0 1-2.3-2.4L11.3 14.5H6.5a2 2 0 0 1-2-2.4l1.3-6.5A2 2 0 0 1 7.8 4H16.5',
);
export const FlagIcon = icon('M6 20.5V4M6 4.5h11.5l-2.5 4 2.5 4H6');
export const LinkIcon = icon(
  'M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1',
);
export const DownloadIcon = icon('M12 4v11M7 10.5l5 5 5-5M5 20h14');
export const HistoryIcon = icon('M4 12a8 8 0 1 0 2.5-5.8L4 8.5M4 4v4.5h4.5M12 8v4.5l3 1.8');
export const BackIcon = icon('M19 12H5M11 6l-6 6 6 6', pointing);
export const DeleteIcon = icon('M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7M10.5 11v5M13.5 11v5');
export const SearchIcon = icon('M11 4.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM16 16l4 4');
export const AlertIcon = icon('M12 8v5M12 16.5v.01M12 3.5l9 16H3z');
export const SparkIcon = icon(
  'M12 4l1.7 4.9a2 2 0 0 0 1.4 1.4L20 12l-4.9 1.7a2 2 0 0 0-1.4 1.4L12 20l-1.7-4.9a2 2 0 0 0-1.4-1.4L4 12l4.9-1.7a2 2 0 0 0 1.4-1.4z',
);
export const PersonIcon = icon('M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20a7 7 0 0 1 14 0');
export const HideIcon = icon(
  'M4 4l16 16M9.5 5.8A9 9 0 0 1 21 12a11 11 0 0 1-2 2.8M6 7.5A11 11 0 0 0 3 12a9 9 0 0 0 12.5 5.5M10 10a2.8 2.8 0 0 0 4 4',
);
