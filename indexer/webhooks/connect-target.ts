import { callbackify } from 'node:util'
import { buildConnector } from 'undici'
import { AppError } from '../../shared/domain/errors.ts'
import { type AllowedTarget, literalOf, requireReachable } from '../../shared/domain/webhook-target.ts'
import type { Resolve } from '../../shared/runtime/resolver.ts'

type Options = {
  readonly resolve: Resolve
  readonly allowed: readonly AllowedTarget[]
  readonly timeoutMs: number
  /** Opens the socket; a test records whom it would have dialled. */
  readonly dial?: buildConnector.connector
}

type Socket = Extract<Parameters<buildConnector.Callback>, [null, unknown]>[1]

/** Addresses of one host that are tried, one after another: enough for a dead one, or for a family we have no route to. */
const MAX_ADDRESSES = 3

/**
 * Makes undici's connector for webhooks: it dials no address that has not been judged.
 *
 * undici's own `lookup` option is never asked for a host that is an address already, so the host is judged here; a
 * name is resolved here, every answer judged, and then an *address* is dialled, so that no second look-up can answer
 * otherwise. The address at the other end of the open socket is judged once more.
 *
 * The connector made fails with `unresolvable_webhook_url`, `unsafe_webhook_url` or `insecure_webhook_url`.
 *
 * @see decisions 6.8
 */
export function createTargetConnector(options: Options): buildConnector.connector {
  const { timeoutMs, dial = buildConnector({ timeout: timeoutMs }) } = options
  const connect = callbackify(connectTarget)
  return (target, callback) => {
    connect({ ...options, dial }, target, (error, socket) =>
      error === null ? callback(null, socket) : callback(error, null),
    )
  }
}

async function connectTarget(
  { resolve, allowed, dial }: Options & { dial: buildConnector.connector },
  target: buildConnector.Options,
): Promise<Socket> {
  const url = new URL(`${target.protocol}//${target.host ?? target.hostname}`)
  const literal = literalOf(target.hostname)
  const addresses = literal === null ? await resolve(target.hostname) : [literal]
  requireReachable(url, { addresses, allowed })
  const socket = await dialFirst(dial, { target, addresses: addresses.slice(0, MAX_ADDRESSES) })
  try {
    requireReachable(url, { addresses: [socket.remoteAddress ?? ''], allowed })
  } catch (error) {
    socket.destroy()
    throw error
  }
  return socket
}

/** Answers the first address that can be reached; fails as the last one did. */
async function dialFirst(
  dial: buildConnector.connector,
  { target, addresses }: { target: buildConnector.Options; addresses: readonly string[] },
): Promise<Socket> {
  let failure: Error = new AppError('unresolvable_webhook_url', `${target.hostname} has no address`)
  for (const hostname of addresses) {
    try {
      // The name stays in `host`, from which undici takes the server name of TLS.
      return await new Promise<Socket>((done, fail) =>
        dial({ ...target, hostname }, (error, socket) => (error === null ? done(socket) : fail(error))),
      )
    } catch (error) {
      failure = error as Error
    }
  }
  throw failure
}
