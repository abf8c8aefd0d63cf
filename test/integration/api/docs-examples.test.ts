import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { newId } from '../../../shared/domain/ids.ts'
import { SCOPES, type Scope } from '../../../shared/domain/scope.ts'
import { createSealKeys } from '../../../shared/domain/sealed-box.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'

/** Error codes of requests that are valid but name a missing resource or host. */
const UNDERSTOOD = /^(charge|recipient|webhook|delivery|refund)_not_found$|^unresolvable_webhook_url$/

describe('the examples in the documentation', function () {
  this.timeout(240_000)
  let api: TestApi
  let examples: readonly string[]
  let env: Record<string, string>
  let refundKey: string

  before(async () => {
    const { publicKey } = createSealKeys()
    api = await startTestApi({ WEBHOOK_SEAL_PUBLIC_KEY: publicKey.toString('base64') })
    const issue = async (alone: readonly Scope[]) => {
      const scopes = SCOPES.filter((scope) => !alone.includes(scope))
      return (await api.issueKey({ environment: 'test', scopes })).key
    }
    const key = await issue(['charges:split_write', 'refunds:write'])
    refundKey = await issue(['charges:split_write', 'recipients:manage_payout'])
    const page = await (await fetch(`${api.baseUrl}/docs`)).text()
    examples = [...page.matchAll(/<pre tabindex="0"><code>(curl.*?)<\/code>/gs)].map(([, code = '']) =>
      unescape(code),
    )
    env = { API: api.baseUrl, KEY: key, DELIVERY_ID: newId('dl', Date.now()) }
  })

  after(() => api?.stop())

  it('include one call per endpoint', () => {
    expect(examples).to.have.length(api.routes.length)
  })

  it('are calls that the API accepts unchanged', async () => {
    const calls = examples.map(async (example) => ({ example, code: await codeOf(example) }))
    const refused = (await Promise.all(calls)).filter(({ code }) => code !== null && !UNDERSTOOD.test(code))
    expect(refused).to.deep.equal([])
  })

  it('work in the guides about pagination, streams and webhooks', async () => {
    const headers = { authorization: `Bearer ${env['KEY']}`, 'content-type': 'application/json' }
    const terms = { amount: 10, expiresIn: 3600, acceptedPayments: [{ token: 'USDC', network: 'base' }] }
    const post = { method: 'POST', headers, body: JSON.stringify(terms) }
    await fetch(`${api.baseUrl}/v1/charges`, post)
    const { id } = (await (await fetch(`${api.baseUrl}/v1/charges`, post)).json()) as { id: string }
    const page = await fetch(`${api.baseUrl}/v1/charges?limit=1`, { headers })
    const { nextCursor } = (await page.json()) as { nextCursor: string }
    expect(await guide('pagination-next', { NEXT_CURSOR: nextCursor })).to.match(/"hasMore":false\}$/)
    expect(await guide('streams-charge', { ID: id })).to.match(/^event: charge$/m)
    const signed = { T: '1700000000', BODY: '{"id":"evt_1"}', SECRET: 'whsec_c2VjcmV0' }
    const hmac = createHmac('sha256', signed.SECRET).update(`${signed.T}.${signed.BODY}`).digest('hex')
    expect(await guide('verifying-shell', signed)).to.include(hmac)
  })

  /** Runs a guide's example unchanged, except that a stream is stopped after 2 s. */
  async function guide(id: string, variables: Readonly<Record<string, string>>): Promise<string> {
    const page = await (await fetch(`${api.baseUrl}/docs`)).text()
    const [, code = ''] = new RegExp(`id="${id}"><code>(.*?)</code>`, 's').exec(page) ?? []
    const script = unescape(code).replace(/^curl -sfN/, 'timeout 2 curl -sfN')
    const options = { env: { ...process.env, ...env, ...variables } }
    const { stdout } = await promisify(execFile)('bash', ['-c', `${script}\n true`], options)
    return stdout.trim()
  }

  /** Selects the key for an example, because no key may both declare refunds and register payout recipients. */
  function keyFor(example: string) {
    return example.includes('/refunds') ? { KEY: refundKey } : {}
  }

  /** Runs an example in a shell. Returns the response's error code or `null`. */
  async function codeOf(example: string): Promise<string | null> {
    const script = example.includes('curl -N') ? `timeout 3 ${example} || true` : example
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      env: { ...process.env, ...env, ID: newId(kindOf(example), Date.now()), ...keyFor(example) },
    })
    const [, code = null] = /^\{"error":\{"code":"(\w+)"/.exec(stdout) ?? []
    return code
  }
})

function kindOf(example: string): 'ch' | 'rc' | 'wh' {
  if (example.includes('/v1/recipients')) return 'rc'
  return example.includes('/v1/webhooks') ? 'wh' : 'ch'
}

function unescape(html: string): string {
  return html
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
}
