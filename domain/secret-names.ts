/** Words that make a member a secret wherever they stand in its name. */
const SECRET_WORDS = new Set(
  `password passwords passwd passphrase pwd pw secret secrets credential credentials cred creds psk cookie cookies
  kubeconfig bearer apikey privatekey jwt otp totp keytab htpasswd keystore pfx p12 pkcs12 community authorization dsn
  hmac sessionid`.split(/\s+/),
);
/** Words that make a member a secret at the end of its name: `oidc_token_url` and `pass_through` are none. */
const SECRET_ENDS = new Set(['token', 'tokens', 'pass', 'pin']);
/** What a key is that is no secret: `public_key`, `sort_key`. A name that is only `key` is none, either. */
const OPEN_KEYS = new Set(
  'public pub name primary foreign sort host cache partition object lookup map index label annotation group'.split(' '),
);
/** Names that people also write as several words. */
const JOINED = /kubeconfig|privatekey|apikey|accesskey|connectionstring|passphrase|password|presharedkey|sessionid/;

/**
 * Does the name of a member, parameter or variable say that its value is a secret? Names are compared by their words:
 * `api_key`, `apiKey`, `api-key` and `API_KEY` are one name.
 */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  if (words.some((word) => SECRET_WORDS.has(word)) || SECRET_ENDS.has(last)) return true;
  const isOpenKey = words.some((word) => OPEN_KEYS.has(word));
  if (isOpenKey) return false;
  if ((last === 'key' || last === 'keys') && words.length > 1) return true;
  return JOINED.test(words.join('')) || /passw(or)?d|secret/.test(last);
}

function wordsOf(name: string): string[] {
  return name
    .slice(0, 200)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
}

const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
const JSON_WEB_TOKEN = /^eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]*$/;
const KUBECONFIG = /\b(client-key-data|certificate-authority-data|clientKeyData)\b/;

/** Is a text a secret whatever its name is: a private key, a signed token, the configuration of kubectl? */
export function isSecretText(text: string): boolean {
  return PRIVATE_KEY.test(text) || JSON_WEB_TOKEN.test(text) || KUBECONFIG.test(text);
}
