/** One HTTPS request on a connection of its own, by a name that resolves to nothing, from any loopback address. */
import { spawnSync } from 'node:child_process';
import { request } from 'node:https';
import { join } from 'node:path';

export interface TlsRequest {
  readonly port: number;
  /** Which of the sites at this port. */
  readonly host: string;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Loopback address to connect from, e.g. `127.0.0.2`. */
  readonly from?: string;
}

export interface TlsAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Of any length; no test waits longer for an answer. */
const PATIENCE_MS = 60_000;

/** @throws {Error} no answer */
export function tlsRequest({ port, host, body, from, headers, ...rest }: TlsRequest): Promise<TlsAnswer> {
  const { method = body === undefined ? 'GET' : 'POST', path } = rest;
  const name = `${host}:${port}`;
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        servername: host,
        rejectUnauthorized: false,
        agent: false,
        localAddress: from ?? '127.0.0.1',
        headers: { host: name, ...(body !== undefined && lengthOf(body)), ...headers },
        timeout: PATIENCE_MS,
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        answer.on('error', reject);
        const { statusCode = 0, headers } = answer;
        answer.on('end', () =>
          resolve({ status: statusCode, type: headers['content-type'] ?? '', body: text }),
        );
      },
    );
    asked.on('timeout', () => asked.destroy(new Error(`no answer in ${PATIENCE_MS} ms`)));
    asked.on('error', reject);
    asked.end(body);
  });
}

function lengthOf(body: string | Uint8Array): Record<string, string> {
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
}

export interface Certificate {
  readonly file: string;
  readonly keyFile: string;
}

/** For these names, signed by itself. Needs openssl. */
export function createCertificate(folder: string, ...names: readonly string[]): Certificate {
  const certificate = { file: join(folder, 'tls.pem'), keyFile: join(folder, 'tls.key') };
  const kind = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ];
  const files = ['-out', certificate.file, '-keyout', certificate.keyFile];
  const subject = [
    '-subj',
    `/CN=${names[0]}`,
    '-addext',
    `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`,
  ];
  const { status, stderr } = spawnSync('openssl', [...kind, ...files, ...subject], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl made no certificate: ${stderr}`);
  return certificate;
}
