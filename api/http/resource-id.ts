const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Every id that vnflow gives is a UUID; any other text names nothing (and would be a syntax error in the store). */
export function isResourceId(text: string | undefined): text is string {
  return text !== undefined && UUID.test(text);
}
