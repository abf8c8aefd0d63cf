import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect } from 'chai'
import { createWebhookSecret } from '../../../shared/domain/webhook-secret.ts'
import { signAttempt } from '../../../shared/domain/webhook-signature.ts'
import { describeIfInstalled } from '../../support/describe-if-installed.ts'

const REPOSITORY = resolve(import.meta.dirname, '../../..')
const INTERPRETERS = { 'verify_webhook.py': 'python3', 'verify_webhook.php': 'php' }

const secret = createWebhookSecret()
const other = createWebhookSecret()
const body = '{"id":"evt_1","event":"charge.settled","data":{"amount":10.0}}'
const now = () => Math.floor(Date.now() / 1000)
const sign = (timestamp = now(), secrets: Parameters<typeof signAttempt>[1] = [secret]) =>
  signAttempt({ id: 'evt_1', body, timestamp }, secrets)['x-service-signature'] ?? ''

for (const [file, interpreter] of Object.entries(INTERPRETERS)) {
  describeIfInstalled(interpreter)(`docs/examples/${file}`, function () {
    this.timeout(240_000)

    it('prints the event of a genuine delivery', () => {
      expect(verify({ header: sign() })).to.equal('charge.settled evt_1\n')
    })

    it('accepts either secret during a rotation', () => {
      expect(verify({ header: sign(now(), [other, secret]) })).to.equal('charge.settled evt_1\n')
      expect(verify({ header: sign(), secrets: `${other} ${secret}` })).to.equal('charge.settled evt_1\n')
    })

    const rejected: Record<string, Parameters<typeof verify>[0]> = {
      'a changed body': { header: sign(), body: `${body} ` },
      'a signature from ten minutes ago': { header: sign(now() - 600) },
      'a signature with another secret': { header: sign(now(), [other]) },
      'no header': { header: '' },
      'a malformed header': { header: 'none, of=these=mean;anything' },
      'a signature with non-ASCII characters': { header: `t=${now()},v1=ключ` },
      'a timestamp with non-ASCII digits': { header: sign().replace(/t=\d+/, 't=१२३') },
    }
    for (const [subject, attempt] of Object.entries(rejected)) {
      it(`rejects ${subject}`, () => {
        expect(verify(attempt)).to.match(/^rejected: /)
      })
    }

    for (const secrets of ['', 'whsec_', 'secret']) {
      it(`does not accept the secret ${JSON.stringify(secrets)}, because anyone could sign with it`, () => {
        expect(verify({ header: sign(), secrets })).to.equal(
          'rejected: a webhook secret is empty or malformed\n',
        )
      })
    }

    function verify(attempt: { header: string; body?: string; secrets?: string }): string {
      const { stdout, stderr } = spawnSync(interpreter, [`docs/examples/${file}`, attempt.header], {
        cwd: REPOSITORY,
        env: { ...process.env, WEBHOOK_SECRET: attempt.secrets ?? secret },
        input: attempt.body ?? body,
        encoding: 'utf8',
      })
      return `${stdout}${stderr}`
    }
  })
}
