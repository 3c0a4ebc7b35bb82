/** How the token of a shared link is sent. Browsers load it, so it's without schemas. */

/** In the address of the page. The log has requests without their queries. */
export const shareParameter = 'k';

/** Of requests for data. */
export const shareHeader = 'x-share';
