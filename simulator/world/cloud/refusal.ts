/** The refusal of a request; each service prints it in its own form. */
export class Refusal extends Error {
  readonly status: number;
  /** The error type of the service: EntityNotFound, NetworkInUse, … */
  readonly type: string;
  constructor(status: number, type: string, message: string) {
    super(message);
    this.status = status;
    this.type = type;
  }
}

export const STATUS_TITLES: Readonly<Record<number, string>> = {
  202: 'Accepted',
  302: 'Found',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  413: 'Request Entity Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};
