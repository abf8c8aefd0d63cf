import { parseArgs } from 'node:util'
import { parseWebhookSecret, type WebhookSecret } from '../../../shared/domain/webhook-secret.ts'
import { signAttempt } from '../../../shared/domain/webhook-signature.ts'
import { CommandError } from '../../../shared/runtime/command-line.ts'
import { type Heard, listenToEvents } from '../listen.ts'
import { createProgress } from './progress.ts'
import type { SvcCommand } from './svc-command.ts'

const USAGE = `Passes every webhook event on to a receiver of yours, signed, until Ctrl-C.

  npm run svc -- listen --forward-to http://localhost:4242/hook

Nothing needs to be registered. The receiver verifies with the secret that is printed first, which holds until Ctrl-C,
lost connections included; each event is one line: its type, its id, and what the receiver answered.
`

/** Like a real attempt (decisions 6.5). */
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
      progress.wait(`lost the connection (${reason}); trying again in ${retryInMs} ms`)
    let secret: WebhookSecret | null = null
    try {
      for await (const heard of listenToEvents(api, { signal: stopping.signal, onLost })) {
        if (heard.kind === 'event') {
          if (secret !== null) progress.say(await forward(heard, { target, secret }))
        } else if (secret === null) {
          // Later connections have others: the receiver, which was told this one, would refuse what they sign.
          secret = parseWebhookSecret(heard.secret)
          progress.say(`signing secret  ${secret}`)
        }
        progress.wait(`waiting for events, to be passed on to ${target}`)
      }
    } finally {
      progress.stop()
    }
    return []
  },
}

/** Posts an event as the service would, and answers the line that says how it went. */
async function forward(
  { event, body }: Extract<Heard, { kind: 'event' }>,
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
    const answer = await fetch(target, { method: 'POST', headers, body, redirect: 'manual', signal })
    await answer.body?.cancel()
    return `${subject}  ${answer.status}`
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
