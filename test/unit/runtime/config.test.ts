import { expect } from 'chai'
import { allocate, MAX_DISTRIBUTION_INCENTIVE } from '../../../shared/domain/allocation.ts'
import { readApiConfig } from '../../../shared/runtime/api-config.ts'
import {
  readDeployments,
  readMigrationConfig,
  readOperatorConfig,
} from '../../../shared/runtime/command-config.ts'
import { ConfigError, checkConfig } from '../../../shared/runtime/config-error.ts'
import { readIndexerConfig } from '../../../shared/runtime/indexer-config.ts'
import { getPayoutBounds } from '../../../shared/runtime/payout-bounds.ts'
import { MERCHANT, TREASURY } from '../../support/factories.ts'

const API_ENV = {
  API_DATABASE_URL: 'postgres://api@127.0.0.1/payments',
  CURSOR_SECRET: 'c'.repeat(32),
  TREASURY_ADDRESS: '0x00000000000000000000000000000000000000AA',
  DEPLOYMENTS: 'base:live',
}

const INDEXER_ENV = {
  TREASURY_ADDRESS: '0x00000000000000000000000000000000000000AA',
  INDEXER_DATABASE_URL: 'postgres://indexer@127.0.0.1/payments',
  PONDER_DATABASE_URL: 'postgres://ponder@127.0.0.1/payments',
  DEPLOYMENTS: 'base:live',
}

const PRIVATE_KEY = `0x${'ab'.repeat(32)}`

describe('readApiConfig', () => {
  it('fills in the defaults of the specification and the decisions', () => {
    const config = readApiConfig(API_ENV)
    expect(config.fees).to.deep.equal({
      feePercent: 10n ** 20n,
      escrowFeePercent: 5n * 10n ** 19n,
      distributorFeePercent: 10n ** 19n,
    })
    expect(config.rateLimitsPerMinute).to.deep.equal({
      general: 100,
      transferability: 20,
      metrics: 60,
      checks: 100,
      checkout: 300,
    })
    expect(config.streams).to.deep.equal({
      maxPerKey: 20,
      maxPerAddress: 100,
      maxPerCharge: 20,
      heartbeatMs: 15_000,
      maxDurationMs: 7_200_000,
      maxUnreadBytes: 4_194_304,
    })
    expect(config).to.deep.include({ maxPageBytes: 1_048_576, maxUnreadBytes: 67_108_864 })
    expect(config.connections).to.deep.equal({
      max: 5000,
      maxPerAddress: 500,
      requestTimeoutMs: 30_000,
      unreadTimeoutMs: 30_000,
    })
    expect(config.staleAfter).to.deep.equal({ blocks: 20, atLeastMs: 120_000 })
    expect(config.treasury).to.deep.equal({ evm: '0x00000000000000000000000000000000000000aa', tron: null })
    expect(config.trustedProxies).to.equal(0)
    expect(config.allowedTargets).to.deep.equal([])
  })

  it('treats an empty variable as not set', () => {
    expect(readApiConfig({ ...API_ENV, API_PORT: '', CHECKOUT_BASE_URL: '' })).to.include({
      port: 3000,
      checkoutBaseUrl: null,
    })
  })

  it('reports all invalid variables together, each with its value and limit', () => {
    const problems = problemsOf(() =>
      readApiConfig({
        ...API_ENV,
        API_PORT: '70000',
        FEE_PERCENT: '1.23456',
        LOG_LEVEL: 'loud',
        API_NODE_BUDGET_PERCENT: '0',
        TREASURY_ADDRESS: '',
      }),
    )
    expect(problems).to.have.members([
      'API_PORT is "70000": must be a whole number from 0 to 65535',
      'FEE_PERCENT is "1.23456": must be a percent from 0 to below 50 with at most 4 fractional digits',
      'LOG_LEVEL is "loud": must be one of trace, debug, info, warn, error, fatal',
      'API_NODE_BUDGET_PERCENT is "0": must be a number above 0, at most 100',
      'TREASURY_ADDRESS is not set: must be an address of 0x and 40 hex digits, not zero, all lowercase, all uppercase or with a correct checksum',
    ])
  })

  it('rejects an incentive above the split contract’s maximum, even if a lower fee would limit it', () => {
    expect(problemsOf(() => readApiConfig({ ...API_ENV, DISTRIBUTOR_FEE_PERCENT: '5.0001' }))).to.deep.equal([
      'DISTRIBUTOR_FEE_PERCENT is "5.0001": must be a percent from 0 to 5, the maximum of the split contract, with at most 4 fractional digits',
    ])
  })

  it('accepts an incentive at the split contract’s maximum', () => {
    const { fees } = readApiConfig({ ...API_ENV, FEE_PERCENT: '6', DISTRIBUTOR_FEE_PERCENT: '5' })
    const terms = { ...fees, merchant: MERCHANT, treasury: TREASURY, splitRecipients: [] }
    expect(allocate(terms)).to.have.nested.property('split.distributionIncentive', MAX_DISTRIBUTION_INCENTIVE)
  })

  it('rejects a maximum head age that a sleeping network exceeds, because its head is read once a minute', () => {
    const env = (seconds: string) => ({ ...API_ENV, HEAD_STALE_AFTER_MIN_SECONDS: seconds })
    const problems = problemsOf(() => readApiConfig(env('109')))
    expect(problems).to.have.length(1)
    expect(problems[0]).to.match(/^HEAD_STALE_AFTER_MIN_SECONDS is "109"/)
    expect(readApiConfig(env('110')).staleAfter.atLeastMs).to.equal(110_000)
  })

  it('limits the connections of a shared proxy address only if configured', () => {
    const boundOf = (env: object) => readApiConfig({ ...API_ENV, ...env }).connections.maxPerAddress
    expect(boundOf({ TRUST_PROXY: '1' })).to.equal(Number.POSITIVE_INFINITY)
    expect(boundOf({ TRUST_PROXY: '1', MAX_CONNECTIONS_PER_ADDRESS: '7' })).to.equal(7)
    expect(boundOf({ MAX_CONNECTIONS_PER_ADDRESS: '7' })).to.equal(7)
  })

  it('accepts up to five cursor secrets of sufficient length', () => {
    const [one, two] = ['a'.repeat(32), 'b'.repeat(40)]
    expect(readApiConfig({ ...API_ENV, CURSOR_SECRET: `${one},${two}` }).cursorSecrets).to.deep.equal([
      one,
      two,
    ])
    for (const bad of [`${one},`, `${one},short`, Array(6).fill(one).join()])
      expect(problemsOf(() => readApiConfig({ ...API_ENV, CURSOR_SECRET: bad }))).to.have.length(1)
  })

  it('never shows the value of a secret in an error', () => {
    const secrets = { CURSOR_SECRET: 'too-short', API_DATABASE_URL: 'mysql://user:hunter2@host/db' }
    const text = problemsOf(() => readApiConfig({ ...API_ENV, ...secrets })).join('\n')
    expect(text).to.include('CURSOR_SECRET is set to 9 characters (not shown)')
    expect(text).not.to.include('too-short')
    expect(text).not.to.include('hunter2')
  })

  for (const name of ['RELAYER_PRIVATE_KEY', 'PAY_BY_SIGNATURE_PRIVATE_KEY', 'WEBHOOK_SEAL_PRIVATE_KEY']) {
    it(`rejects ${name} in the API`, () => {
      const problems = problemsOf(() => readApiConfig({ ...API_ENV, [name]: PRIVATE_KEY }))
      expect(problems).to.deep.equal([
        `${name} is set: must not be, because the API must hold no private key`,
      ])
    })
  }

  for (const [name, value] of [
    ['TREASURY_ADDRESS', `0x${'0'.repeat(40)}`],
    ['TREASURY_ADDRESS', '0x00000000000000000000000000000000000000aB'],
    ['FEE_PERCENT', '50'],
    ['FEE_PERCENT', '-1'],
    ['TRUST_PROXY', 'true'],
    ['CHECKOUT_BASE_URL', 'ftp://example.com'],
    ['CHECKOUT_FRAME_ORIGINS', 'https://shop.example/path'],
    ['CHECKOUT_FRAME_ORIGINS', 'https://shop.example;script-src *'],
    ['CHECKOUT_FRAME_ORIGINS', 'http://shop.example'],
    ['CHECKOUT_PRODUCT_IMAGES', 'yes'],
    ['CHECKOUT_WALLET_LINKS', 'yes'],
    ['X402', 'yes'],
    ['WEBHOOK_SEAL_PUBLIC_KEY', 'c2hvcnQ='],
    ['WEBHOOK_ALLOWED_TARGETS', '10.0.0.0/33'],
    ['WEBHOOK_ALLOWED_TARGETS', 'localhost'],
    ['SWAP_PROVIDER', '1inch'],
    ['SWAP_BASE_URL', 'api.0x.org'],
    ['SWAP_SLIPPAGE_BPS', '1001'],
    ['SWAP_API_KEY', 'a key\nwith: a header'],
    ['DEPLOYMENTS', 'base:prod'],
    ['NETWORKS_CONFIG', '/does/not/exist.json'],
  ] as const) {
    it(`rejects ${name}=${value}`, () => {
      const [problem, ...others] = problemsOf(() => readApiConfig({ ...API_ENV, [name]: value }))
      expect(others).to.deep.equal([])
      expect(problem).to.match(new RegExp(`^${name} `))
    })
  }

  it('returns the swap provider and its fee', () => {
    expect(readApiConfig(API_ENV).swap).to.equal(null)
    const env = { ...API_ENV, SWAP_PROVIDER: '0x', SWAP_API_KEY: 'hunter2' }
    expect(readApiConfig(env).swap).to.deep.equal({
      ...{ provider: '0x', apiKey: 'hunter2', baseUrl: 'https://api.0x.org', slippageBps: 100, fee: null },
    })
    const charging = { ...env, SWAP_FEE_BPS: '25', SWAP_FEE_RECIPIENT: TREASURY }
    expect(readApiConfig(charging).swap?.fee).to.deep.equal({ bps: 25, recipient: TREASURY })
  })

  it('rejects a swap provider without a key, and a swap fee without a recipient', () => {
    expect(problemsOf(() => readApiConfig({ ...API_ENV, SWAP_PROVIDER: '0x' }))).to.deep.equal([
      'SWAP_API_KEY is not set: it is required, because SWAP_PROVIDER is set',
    ])
    expect(problemsOf(() => readApiConfig({ ...API_ENV, SWAP_FEE_BPS: '1' }))).to.deep.equal([
      'SWAP_FEE_RECIPIENT is not set: it is required, because SWAP_FEE_BPS is above 0',
    ])
  })

  it('returns the ranges that webhooks may target, and whether each allows http', () => {
    const env = { ...API_ENV, WEBHOOK_ALLOWED_TARGETS: '10.0.0.0/8,::1/128+http' }
    expect(readApiConfig(env).allowedTargets).to.deep.equal([
      { cidr: '10.0.0.0/8', allowsHttp: false },
      { cidr: '::1/128', allowsHttp: true },
    ])
  })
})

describe('readIndexerConfig', () => {
  it('fills in the defaults of the decisions', () => {
    const config = readIndexerConfig(INDEXER_ENV)
    expect(config.payouts).to.deep.equal({
      graceSeconds: 300,
      attemptDelaysSeconds: [0, 30, 120, 600, 1800, 3600, 10_800, 21_600],
      minimumMicro: 1_000_000n,
    })
    expect(config.checkoutBaseUrl).to.equal(null)
    expect(config.silentNetworkMs).to.equal(900_000)
    expect(config.relayerPrivateKey).to.equal(null)
    expect(config.deployments[0]).to.include({
      minimumPayoutMicro: 1_000_000n,
    })
  })

  it('limits the gas price by the network’s default, or by the general setting', () => {
    const boundsOf = (env: Record<string, string>) =>
      readIndexerConfig({ ...INDEXER_ENV, DEPLOYMENTS: 'base:live,bnb:live', ...env }).deployments.map(
        ({ gasBounds }) => [gasBounds.maxFeePerGasWei, gasBounds.maxTipPerGasWei],
      )
    expect(boundsOf({})).to.deep.equal([
      [5_000_000_000n, 100_000_000n],
      [10_000_000_000n, 3_000_000_000n],
    ])
    expect(boundsOf({ MAX_FEE_PER_GAS_GWEI: '0.05' })).to.deep.equal([
      [50_000_000n, 50_000_000n],
      [50_000_000n, 50_000_000n],
    ])
  })

  it('raises the minimum payout on tron to a payout’s cost, unless the deployment has its own minimum', () => {
    const minimumsOf = (env: object) =>
      readIndexerConfig({
        ...INDEXER_ENV,
        ...env,
        DEPLOYMENTS: 'base:live,tron:live,tron:test',
      }).deployments.map(({ minimumPayoutMicro }) => minimumPayoutMicro)
    expect(minimumsOf({})).to.deep.equal([1_000_000n, 22_000_000n, 1_000_000n])
    expect(minimumsOf({ MINIMUM_PAYOUT: '30' })).to.deep.equal([30_000_000n, 30_000_000n, 30_000_000n])
    const [tron] = readDeployments({ DEPLOYMENTS: 'tron:live' })
    if (tron === undefined) throw new Error('tron must be a deployment')
    const own = getPayoutBounds({ ...tron, minimumPayout: '5' }, { MINIMUM_PAYOUT: '30' })
    expect(own.minimumPayoutMicro).to.equal(5_000_000n)
  })

  it('limits the cost of posting a transaction to L1 by network, or by the deployment’s own limit', () => {
    const [base, bnb] = readIndexerConfig({ ...INDEXER_ENV, DEPLOYMENTS: 'base:live,bnb:live' }).deployments
    expect(base?.dataFee).to.deep.equal({ model: 'op-stack', maxWei: 10n ** 15n })
    expect(bnb?.dataFee).to.deep.equal({ model: 'none', maxWei: 0n })
    const [deployment] = readDeployments({ DEPLOYMENTS: 'base:live' })
    if (deployment === undefined) throw new Error('base must be a deployment')
    const bounds = getPayoutBounds({ ...deployment, maxDataFeeGwei: 0.5 }, { MINIMUM_PAYOUT: '1' })
    expect(bounds.dataFee).to.deep.equal({ model: 'op-stack', maxWei: 5n * 10n ** 8n })
  })

  describe('for payments by signature', () => {
    const SIGNING = {
      ...INDEXER_ENV,
      DEPLOYMENTS: 'base:live,bnb:live,ethereum:live',
      PAY_BY_SIGNATURE_NETWORKS: 'base',
      PAY_BY_SIGNATURE_PRIVATE_KEY: PRIVATE_KEY,
    }

    it('returns null by default', () => {
      expect(readIndexerConfig(INDEXER_ENV).authorizations).to.equal(null)
    })

    it('returns a minimum per network and a daily gas limit', () => {
      const { authorizations } = readIndexerConfig({ ...SIGNING, PAY_BY_SIGNATURE_MINIMUM_BASE: '2.5' })
      expect(authorizations).to.deep.include({ networks: ['base'], dailyGasLimit: 100_000_000 })
      expect(authorizations?.minimumMicroOf('base')).to.equal(2_500_000n)
      expect(authorizations?.minimumMicroOf('arbitrum')).to.equal(1_000_000n)
    })

    for (const [title, change, problem] of [
      ['without a key', { PAY_BY_SIGNATURE_PRIVATE_KEY: '' }, /^PAY_BY_SIGNATURE_PRIVATE_KEY is not set/],
      [
        'with the key for payouts, in any notation',
        { RELAYER_PRIVATE_KEY: PRIVATE_KEY.toUpperCase().replace('X', 'x') },
        /^PAY_BY_SIGNATURE_PRIVATE_KEY is the same as RELAYER_PRIVATE_KEY/,
      ],
      [
        'on ethereum without a minimum',
        { PAY_BY_SIGNATURE_NETWORKS: 'base,ethereum' },
        /^PAY_BY_SIGNATURE_MINIMUM_ETHEREUM is not set/,
      ],
      [
        'with a network where no token supports signatures',
        { PAY_BY_SIGNATURE_NETWORKS: 'bnb' },
        /names bnb: must name/,
      ],
      [
        'on a network without a deployment',
        { PAY_BY_SIGNATURE_NETWORKS: 'optimism' },
        /names optimism: must name/,
      ],
    ] as const) {
      it(`rejects a configuration ${title}`, () => {
        const problems = problemsOf(() => readIndexerConfig({ ...SIGNING, ...change }))
        expect(problems).to.have.length(1)
        expect(problems[0]).to.match(problem)
      })
    }

    it('accepts ethereum with a minimum', () => {
      const env = { PAY_BY_SIGNATURE_NETWORKS: 'ethereum', PAY_BY_SIGNATURE_MINIMUM_ETHEREUM: '100' }
      expect(readIndexerConfig({ ...SIGNING, ...env }).authorizations?.minimumMicroOf('ethereum')).to.equal(
        100_000_000n,
      )
    })
  })

  it('reads the checkout’s base URL like the API', () => {
    const env = { CHECKOUT_BASE_URL: 'https://pay.example' }
    const { checkoutBaseUrl } = readIndexerConfig({ ...INDEXER_ENV, ...env })
    expect(checkoutBaseUrl).to.equal('https://pay.example')
    expect(readApiConfig({ ...API_ENV, ...env })).to.include({ checkoutBaseUrl })
  })

  for (const [name, value] of [
    ['PAYOUT_RETRY_SCHEDULE', '30s,0s'],
    ['PAYOUT_RETRY_SCHEDULE', '25h'],
    ['PAYOUT_RETRY_SCHEDULE', 'soon'],
    ['PAYOUT_RETRY_SCHEDULE', Array(21).fill('0s').join(',')],
    ['RELAYER_PRIVATE_KEY', `0x${'0'.repeat(64)}`],
    ['RELAYER_PRIVATE_KEY', `0x${'f'.repeat(64)}`],
    ['PAY_BY_SIGNATURE_PRIVATE_KEY', `0x${'0'.repeat(64)}`],
    ['PAY_BY_SIGNATURE_NETWORKS', 'base,solana'],
    ['PAY_BY_SIGNATURE_DAILY_GAS', '199999'],
    ['PAY_BY_SIGNATURE_MINIMUM_BASE', '-1'],
    ['MINIMUM_PAYOUT', '-1'],
    ['MAX_FEE_PER_GAS_GWEI', '0'],
  ] as const) {
    it(`rejects ${name}=${value.slice(0, 20)}`, () => {
      const problems = problemsOf(() => readIndexerConfig({ ...INDEXER_ENV, [name]: value }))
      expect(problems).to.have.length(1)
      expect(problems[0]).to.match(new RegExp(`^${name} is `))
    })
  }
})

describe('readOperatorConfig and readMigrationConfig', () => {
  it('require only the URL of their own database', () => {
    const url = 'postgres://one@127.0.0.1/payments'
    expect(readMigrationConfig({ OWNER_DATABASE_URL: url })).to.deep.equal({ databaseUrl: url })
    expect(readOperatorConfig({ OPERATOR_DATABASE_URL: url })).to.deep.equal({ databaseUrl: url })
    expect(problemsOf(() => readMigrationConfig({}))).to.have.length(1)
  })
})

describe('checkConfig', () => {
  it('prints that the configuration is valid, and returns 0', () => {
    const lines: string[] = []
    expect(checkConfig(() => readApiConfig(API_ENV), { write: (text) => lines.push(text) })).to.equal(0)
    expect(lines).to.deep.equal(['configuration is valid\n'])
  })

  it('prints every error, and returns 1', () => {
    const lines: string[] = []
    expect(
      checkConfig(() => readIndexerConfig({ LOG_LEVEL: 'x' }), { write: (text) => lines.push(text) }),
    ).to.equal(1)
    expect(lines.join('')).to.match(
      /INDEXER_DATABASE_URL is not set.*\n.*PONDER_DATABASE_URL is not set.*\n.*LOG_LEVEL is "x"/,
    )
  })

  it('rethrows any other error', () => {
    const bug = new Error('bug')
    const read = () => {
      throw bug
    }
    expect(() => checkConfig(read, { write: () => {} })).to.throw(bug)
  })
})

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}
