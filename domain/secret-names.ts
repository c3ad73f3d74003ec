/** Words that make a member a secret wherever they stand in its name. */
const SECRET_WORDS = new Set(
  `password passwords passwd passphrase pwd pw secret secrets credential credentials cred creds psk cookie cookies
  kubeconfig bearer apikey privatekey jwt otp totp keytab htpasswd keystore pfx p12 pkcs12 community authorization dsn
  hmac sessionid passwort passcode pincode dbpass rootpass sshpass authpass privkey sshkey unseal webhook presigned tacacs puk
  mnemonic csrf kubeconf`.split(/\s+/),
);
/** Words that make a member a secret at the end of its name: `oidc_token_url` and `pass_through` are none. */
const SECRET_ENDS = new Set(['token', 'tokens', 'tok', 'tkn', 'pass', 'pin', 'auth']);
/** Words at the end of a name that say how a secret is written: `token_value`, `pass_hash`, `key_data`. */
const WRITTEN_AS = new Set(['value', 'data', 'code', 'material', 'hash', 'b64', 'base64']);
/** What a key is that is no secret: `public_key`, `sort_key`. A name that is only `key` is none, either. */
const OPEN_KEYS = new Set(
  'public pub name primary foreign sort host cache partition object lookup map index label annotation group'.split(' '),
);
/** Names that people also write as several words. */
const JOINED =
  /kubeconfig|privatekey|apikey|accesskey|clientkey|encryptionkey|idrsa|ided25519|connectionstring|commstring|passphrase|password|presharedkey|sessionid/;
/** A word that only counts: `token_v2`. */
const VERSION = /^v?\d+$/;

/**
 * Does the name of a member, parameter or variable say that its value is a secret? Names are compared by their words:
 * `api_key`, `apiKey`, `api-key` and `API_KEY` are one name.
 */
export function isSecretName(name: string): boolean {
  const all = wordsOf(name);
  const plain = all.filter((word) => !VERSION.test(word));
  const words = plain.flatMap((word) => [word, withoutNumber(word)]);
  const last = withoutNumber(plain.findLast((word) => !WRITTEN_AS.has(word)) ?? '');
  if (words.some((word) => SECRET_WORDS.has(word)) || SECRET_ENDS.has(last)) return true;
  const isOpenKey = words.some((word) => OPEN_KEYS.has(word));
  if (isOpenKey) return false;
  if ((last === 'key' || last === 'keys') && all.length > 1) return true;
  return JOINED.test(all.join('')) || /passw(or)?d|secret/.test(last);
}

/** `pass1` is `pass`. */
function withoutNumber(word: string): string {
  return word.replace(/\d+$/, '');
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

const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-/;
/** Tokens of well-known services, whose form names them. */
const KNOWN_TOKEN = /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16})(?![A-Za-z0-9])/;
/** A name and a secret in one text: `DB_PASSWORD=…`, `password: …`, `--token …`, `?token=…`, `Bearer …`. */
const NAMED_IN_TEXT =
  /(?<![a-z0-9])(?:password|passwd|secret|token|api[_-]?key)["']?\s*[=:]\s*["']?[^\s"']{3}|--(?:password|token|secret)[= ]\S|(?<![a-z0-9])bearer\s+[\w.~+/-]{8}/i;
const JSON_WEB_TOKEN = /^eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]*$/;
const KUBECONFIG = /\b(client-key-data|certificate-authority-data|clientKeyData)\b/;

const SECRET_TEXTS = [PRIVATE_KEY, JSON_WEB_TOKEN, KUBECONFIG, KNOWN_TOKEN, NAMED_IN_TEXT];

/** Is a text a secret whatever its name is: a private key, a signed token, a password with its name? */
export function isSecretText(text: string): boolean {
  return SECRET_TEXTS.some((form) => form.test(text));
}
