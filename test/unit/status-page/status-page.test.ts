import { createServer } from 'node:http'
import { expect } from 'chai'
import { createStatusPage } from '../../../indexer/status-page/create-status-page.ts'
import { rememberErrors } from '../../../indexer/status-page/recent-errors.ts'
import { listen } from '../../../shared/runtime/listen.ts'
import { createLogger } from '../../../shared/runtime/logger.ts'
import { createMetrics, registerMetrics } from '../../../shared/runtime/metrics.ts'

const BASE = { network: 'base', environment: 'live', chainId: 8453 }
const AT = new Date('2026-07-01T12:00:00Z')

describe('the status page', () => {
  it('shows each network with its head, its nodes and the balance of its relayer', async () => {
    const page = await render({ heads: 1234, balance: 2, cost: 0.001 })
    expect(page).to.contain('healthy').and.to.contain('base live')
    expect(page).to.contain('1234, 3 s old').and.to.contain('2 respond, 2 required')
    expect(page).to.contain('2,000 payouts')
  })

  it('estimates the days that the balance lasts from the transactions that paid gas', async () => {
    const transactions = { signed: 20, mined: 3, final: 10, reverted: 2, replaced: 4 }
    const page = await render({ balance: 1, cost: 0.001, transactions, uptimeSeconds: 86_400 })
    expect(page).to.contain('1,000 payouts, 83 days')
  })

  it('has a heading for each cell of a network', async () => {
    const page = await render({})
    const [, head = '', row = ''] = /<thead>(.*?)<\/thead>\n<tbody>(.*?)<\/tr>/s.exec(page) ?? []
    const headings = [...head.matchAll(/<th[^>]*>([^<]*)/g)].map(([, text]) => text).slice(1)
    expect(headings).to.have.length(6)
    expect([...row.matchAll(/<td data-name="([^"]*)"/g)].map(([, name]) => name)).to.deep.equal(headings)
  })

  it('shows how many payment requests were not sent because of a node’s limits', async () => {
    const page = await render({ unsent: 1_036 })
    expect(page).to.contain('node.example: 1,036 requests about payments not sent since the start')
  })

  it('states that no webhook attempt has succeeded if every attempt failed', async () => {
    const problem = 'No webhook attempt has succeeded since the start.'
    expect(await render({ attempts: { refused: 6 } }))
      .to.contain('6 of 6')
      .and.to.contain(problem)
    const page = await render({ attempts: { refused: 6, delivered: 1 } })
    expect(page).to.contain('6 of 7').and.not.to.contain(problem)
  })

  it('lists the problems that need attention, each as a sentence', async () => {
    const page = await render({ responding: 1, isStale: true, oldest: 4_000, balance: 0.05, cost: 0.001 })
    expect(page).to.contain('needs attention')
    expect(page).to.contain('base live: 1 of 2 required node operators respond, so payments wait.')
    expect(page).to.contain('base live: its chain data is stale, so payments on it are discouraged.')
    expect(page).to.contain('base live: a payout has been waiting for 67 min.')
    expect(page).to.contain('base live: the relayer can pay only 50 more payouts; send coins to it.')
  })

  it('shows how many requests a node’s limits still allow, and that the node is paused', async () => {
    const page = await render({ requestsLeft: 50, pausedSeconds: 30 })
    expect(page).to.contain('node.example: 50 of 1,000; node.example: paused for 30 s')
    expect(page).to.contain('base live: node.example allows only 50 more requests in these 24 hours.')
    expect(page).to.contain('base live: node.example demands fewer requests, and is paused.')
  })

  it('shows a network whose nodes have no limit', async () => {
    expect(await render({})).to.contain('<td data-name="Requests left today">no limit</td>')
  })

  it('shows readiness checks that fail', async () => {
    expect(await render({}, { database: 'connect ECONNREFUSED' })).to.contain(
      'Not ready: database: connect ECONNREFUSED.',
    )
  })

  it('shows the messages of logged errors without their fields, newest first', async () => {
    const errors = rememberErrors(createLogger({ level: 'silent', service: 'test' }), () => AT)
    errors.log.error({ msg: 'First happened', url: 'https://node.example/secret' })
    errors.log.child({ chain_id: 8453 }).error({ msg: 'Second happened' })
    errors.log.error({ msg: 'First happened' })
    const page = await render({}, {}, { listErrors: errors.list })
    expect(page).to.match(
      /First happened<\/td><td[^>]*><\/td><td[^>]*>2<.*Second happened<\/td><td[^>]*>8453<\/td><td[^>]*>1</s,
    )
    expect(page).not.to.contain('secret')
  })

  it('names the loop whose iteration failed', async () => {
    const errors = rememberErrors(createLogger({ level: 'silent', service: 'test' }), () => AT)
    for (const loop of ['deliveries', 'refunds', 'refunds'])
      errors.log.error({ msg: 'Loop iteration failed', loop })
    const page = await render({}, {}, { listErrors: errors.list })
    expect(page).to.match(
      /Loop iteration failed: refunds<[^>]*><td[^>]*><[^>]*><td[^>]*>2<.*Loop iteration failed: deliveries<[^>]*><td[^>]*><[^>]*><td[^>]*>1</s,
    )
  })

  it('remembers at most 100 different errors', () => {
    const errors = rememberErrors(createLogger({ level: 'silent', service: 'test' }), () => AT)
    for (let index = 0; index < 120; index += 1) errors.log.error({ msg: `Error ${index}` })
    expect(errors.list()).to.have.length(100)
    expect(errors.list()[0]?.message).to.equal('Error 119')
  })

  it('escapes HTML in the text of a failed check', async () => {
    expect(await render({}, { feeds: '<script>alert(1)</script>' })).not.to.contain('<script>')
  })

  it('shows the alerts of Prometheus, firing alerts first', async () => {
    const alerts = ['pending', 'firing'].map((state) => ({
      state,
      labels: { alertname: `Alert-${state}` },
      annotations: { summary: `Something is ${state}` },
    }))
    const page = await renderWithPrometheus(JSON.stringify({ status: 'success', data: { alerts } }))
    expect(page).to.match(/Alert-firing.*Alert-pending/s)
    expect(page).to.contain('Alert: Something is firing.').and.not.to.contain('Alert: Something is pending.')
  })

  for (const [title, body] of [
    ['invalid JSON', '{'],
    ['JSON of another shape', '{"data":{"alerts":[1]}}'],
    ['more than a megabyte', JSON.stringify({ data: { alerts: [] }, filler: 'x'.repeat(1_100_000) })],
  ] as const)
    it(`reports that the alerts are missing if Prometheus sends ${title}`, async () => {
      expect(await renderWithPrometheus(body)).to.contain('Prometheus did not return its alerts.')
    })
})

type Values = {
  heads?: number
  responding?: number
  isStale?: boolean
  oldest?: number
  balance?: number
  cost?: number
  requestsLeft?: number
  pausedSeconds?: number
  unsent?: number
  attempts?: Readonly<Record<string, number>>
  /** Transactions of the relayer by status. */
  transactions?: Readonly<Record<string, number>>
  uptimeSeconds?: number
}

function render(
  values: Values,
  failedChecks: Readonly<Record<string, string>> = {},
  { listErrors = () => [], prometheusUrl = null }: Partial<Parameters<typeof createStatusPage>[0]> = {},
): Promise<string> {
  const registry = createMetrics({ service: 'test' })
  const { heads = 1, responding = 2, isStale = false, oldest = 0, balance = 1, cost = 0.001 } = values
  const byChain = registerMetrics(registry, ['chain_id'], {
    feed_head_block: 'head',
    feed_head_age_seconds: 'age',
    feed_is_stale: 'stale',
    payouts_oldest_pending_seconds: 'oldest',
    relayer_balance_coins: 'balance',
    relayer_payout_cost_coins: 'cost',
  })
  const ofChain = { chain_id: BASE.chainId }
  byChain.feed_head_block.set(ofChain, heads)
  byChain.feed_head_age_seconds.set(ofChain, 3)
  byChain.feed_is_stale.set(ofChain, isStale ? 1 : 0)
  byChain.payouts_oldest_pending_seconds.set(ofChain, oldest)
  byChain.relayer_balance_coins.set(ofChain, balance)
  byChain.relayer_payout_cost_coins.set(ofChain, cost)
  if (values.requestsLeft !== undefined) {
    const ofNodes = registerMetrics(registry, ['chain_id', 'node'], {
      node_day_requests_limit: 'limit',
      node_day_requests_left: 'left',
      node_paused_seconds: 'paused',
    })
    const ofNode = { ...ofChain, node: 'node.example' }
    ofNodes.node_day_requests_limit.set(ofNode, 1_000)
    ofNodes.node_day_requests_left.set(ofNode, values.requestsLeft)
    ofNodes.node_paused_seconds.set(ofNode, values.pausedSeconds ?? 0)
  }
  if (values.unsent !== undefined) {
    const { node_requests_refused_total: refused } = registerMetrics(
      registry,
      ['chain_id', 'node', 'priority'],
      { node_requests_refused_total: 'refused' },
    )
    refused.inc({ ...ofChain, node: 'node.example', priority: 'payment' }, values.unsent - 36)
    refused.inc({ ...ofChain, node: 'node.example', priority: 'confirmation' }, 36)
    refused.inc({ ...ofChain, node: 'node.example', priority: 'background' }, 500)
  }
  const { webhook_attempts_total: attempted } = registerMetrics(registry, ['result'], {
    webhook_attempts_total: 'attempts',
  })
  for (const [result, count] of Object.entries(values.attempts ?? {})) attempted.inc({ result }, count)
  const { network, environment } = BASE
  const byNetwork = registerMetrics(registry, ['network', 'environment'], {
    network_quorum: 'quorum',
    network_operators_responding: 'operators',
  })
  byNetwork.network_quorum.set({ network, environment }, 2)
  byNetwork.network_operators_responding.set({ network, environment }, responding)
  const { relayer_transactions_total: transactions } = registerMetrics(registry, ['chain_id', 'status'], {
    relayer_transactions_total: 'transactions',
  })
  for (const [status, count] of Object.entries(values.transactions ?? {}))
    transactions.inc({ ...ofChain, status }, count)
  const { uptimeSeconds } = values
  const startedAtMs = Date.now() - process.uptime() * 1_000
  const now = uptimeSeconds === undefined ? AT : new Date(startedAtMs + uptimeSeconds * 1_000)
  const page = createStatusPage({
    ...{ registry, networks: [BASE], listErrors, prometheusUrl, now: () => now },
    prometheusTimeoutMs: 60_000,
  })
  return page(failedChecks)
}

async function renderWithPrometheus(body: string): Promise<string> {
  const prometheus = createServer((_request, response) => void response.end(body))
  const port = await listen(prometheus, { host: '127.0.0.1', port: 0 })
  try {
    return await render({}, {}, { prometheusUrl: `http://127.0.0.1:${port}/` })
  } finally {
    prometheus.close()
    prometheus.closeAllConnections()
  }
}
