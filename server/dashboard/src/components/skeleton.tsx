/** The place of something that loads. */
export const Skeleton = ({ lines = 3 }: { lines?: number }) => (
  <div class="skeleton" role="status" aria-label="Loading">
    {Array.from({ length: lines }, (_, index) => (
      <span key={index} />
    ))}
  </div>
);
