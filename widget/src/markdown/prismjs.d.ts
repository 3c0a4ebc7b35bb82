declare module 'prismjs/components/prism-core.js' {
  const Prism: object;
  export default Prism;
}
declare module 'prismjs/components/*.js' {}
