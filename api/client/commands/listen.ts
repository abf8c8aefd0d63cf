import { parseArgs } from 'node:util'
import { parseWebhookSecret, type WebhookSecret } from '../../../shared/domain/webhook-secret.ts'
import { signAttempt } from '../../../shared/domain/webhook-signature.ts'
import { CommandError } from '../../../shared/runtime/command-line.ts'
import { type ListenedEvent, listenToEvents } from '../listen.ts'
import { createProgress } from './progress.ts'
import type { SvcCommand } from './svc-command.ts'

const USAGE = `Forwards every webhook event, signed, to a local receiver until Ctrl-C.

  svc listen --forward-to http://localhost:4242/hook

No webhook needs to be registered. The receiver verifies with the secret that is printed first. The secret stays valid
until Ctrl-C, also after a lost connection. Prints one line per event: its type, its id and the receiver's status code
or the error.
`

/** The timeout of the service's own attempts (decisions 6.5). */
const TIMEOUT_MS = 8000

/** `svc listen`. */
export const listen: SvcCommand = {
  usage: USAGE,
  run: async (api, args) => {
    const { values } = parseArgs({ args, options: { 'forward-to': { type: 'string' } } })
    const target = readTarget(values['forward-to'])
    const progress = createProgress()
    const stopping = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
    const onLost = ({ reason, retryInMs }: { reason: string; retryInMs: number }): void =>
      progress.wait(`lost the connection (${reason}); retrying in ${retryInMs} ms`)
    let secret: WebhookSecret | null = null
    try {
      for await (const heard of listenToEvents(api, { signal: stopping.signal, onLost })) {
        if (heard.kind === 'event') {
          if (secret !== null) progress.say(await forward(heard, { target, secret }))
        } else if (secret === null) {
          // Each connection has its own secret. Keep the first, because it is the one that the receiver checks against.
          secret = parseWebhookSecret(heard.secret)
          progress.say(`signing secret  ${secret}`)
        }
        progress.wait(`waiting for events to forward to ${target}`)
      }
    } finally {
      progress.stop()
    }
    return []
  },
}

/** Posts an event as the service would. Returns the line that reports the outcome. */
async function forward(
  { event, body }: Extract<ListenedEvent, { kind: 'event' }>,
  { target, secret }: { target: string; secret: WebhookSecret },
): Promise<string> {
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = {
    'content-type': 'application/json',
    'x-service-delivery': event.id,
    'x-service-event': event.event,
    ...signAttempt({ id: event.id, body, timestamp }, [secret]),
  }
  const subject = `${event.event.padEnd(24)}  ${event.id}`
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(target, { method: 'POST', headers, body, redirect: 'manual', signal })
    await response.body?.cancel()
    return `${subject}  ${response.status}`
  } catch (error) {
    const { message, cause } = error as Error
    return `${subject}  not delivered: ${cause instanceof Error ? cause.message : message}`
  }
}

function readTarget(text: string | undefined): string {
  if (text !== undefined && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  const given = text === undefined ? 'missing' : JSON.stringify(text)
  throw new CommandError(
    `--forward-to is ${given}; it must be an http or https URL, such as http://localhost:4242/hook`,
  )
}
