/** Files and folders whose names suggest that they hold secrets. */
const secret =
  /^(?:\.env(?:\..*)?|\.npmrc|\.netrc|\.pypirc|\.git-credentials|\.htpasswd|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx)|id_(?:rsa|dsa|ecdsa|ed25519)|\.(?:ssh|gnupg|aws|kube|docker))$/;
const example = /^\.env\.(?:example|sample|template|dist)$/;

/** Upper and lower case are the same, as on most file systems. */
export function isSecretFile(path: string): boolean {
  return path
    .normalize('NFKC')
    .toLowerCase()
    .split('/')
    .some((name) => secret.test(name) && !example.test(name));
}
