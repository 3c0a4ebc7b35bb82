/** Whether the host of an address is this machine. It may have a port. */
export const isLoopback = (host: string) =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);
