import { callbackify } from 'node:util'
import { buildConnector } from 'undici'
import { AppError } from '../../shared/domain/errors.ts'
import { type AllowedTarget, parseIpLiteral, requireReachable } from '../../shared/domain/webhook-target.ts'
import type { Resolve } from '../../shared/runtime/resolver.ts'

type Options = {
  readonly resolve: Resolve
  readonly allowed: readonly AllowedTarget[]
  readonly timeoutMs: number
  /** Opens the socket. Tests replace this function to record the dialled addresses. */
  readonly dial?: buildConnector.connector
}

type Socket = Extract<Parameters<buildConnector.Callback>, [null, unknown]>[1]

/**
 * Maximum addresses tried per host, one after the other; more than one, in case an address is dead or its family has no
 * route.
 */
const MAX_ADDRESSES = 3

/**
 * Creates undici's connector for webhooks, the guard against requests to private addresses (SSRF). It dials only
 * addresses that passed the reachability check.
 *
 * undici does not call its own `lookup` option for a host that is already an address, so this connector checks the host
 * itself. It resolves names, checks every resolved address and then dials an *address*, so that no second lookup can
 * return another one. It also checks the remote address of the open socket.
 *
 * If a check fails, the error is `unresolvable_webhook_url`, `unsafe_webhook_url` or `insecure_webhook_url`.
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
  const literal = parseIpLiteral(target.hostname)
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

/** Throws the last failure if no address is reachable. */
async function dialFirst(
  dial: buildConnector.connector,
  { target, addresses }: { target: buildConnector.Options; addresses: readonly string[] },
): Promise<Socket> {
  let failure: Error = new AppError('unresolvable_webhook_url', `${target.hostname} has no address`)
  for (const hostname of addresses) {
    try {
      // `host` stays the name, because undici takes the TLS server name from it.
      return await new Promise<Socket>((done, fail) =>
        dial({ ...target, hostname }, (error, socket) => (error === null ? done(socket) : fail(error))),
      )
    } catch (error) {
      failure = error as Error
    }
  }
  throw failure
}
