import { expect } from 'chai'
import * as chains from 'viem/chains'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import {
  type DeploymentFacts,
  type Environment,
  finalityBlocks,
  NETWORKS,
  type Network,
  TOKENS,
} from '../../../shared/domain/networks.ts'
import {
  configureNodes,
  DEFAULT_QUORUM,
  listOperators,
  registeredNodes,
} from '../../../shared/domain/node-config.ts'

const DEPLOYMENTS = NETWORKS.flatMap((network) => {
  const { live, test } = REGISTRY[network]
  return [{ network, facts: live }, ...(test === null ? [] : [{ network, facts: test }])]
})

const operatorsOf = (facts: DeploymentFacts) => listOperators(configureNodes(registeredNodes(facts)))

const pairsOf = (environment: Environment) =>
  NETWORKS.flatMap((network) => {
    const tokens = REGISTRY[network][environment]?.tokens ?? {}
    return TOKENS.filter((token) => tokens[token]?.enabledByDefault).map((token) => `${token}/${network}`)
  })

describe('REGISTRY', () => {
  it('has the chain ids, native coin symbols and testnets that viem lists', () => {
    const viemChains: Record<Network, [live: chains.Chain, test: chains.Chain | null]> = {
      base: [chains.base, chains.baseSepolia],
      optimism: [chains.optimism, chains.optimismSepolia],
      polygon: [chains.polygon, null],
      ethereum: [chains.mainnet, chains.sepolia],
      arbitrum: [chains.arbitrum, null],
      avalanche: [chains.avalanche, null],
      bnb: [chains.bsc, null],
      tron: [chains.tron, chains.tronNile],
      arc: [chains.arc, chains.arcTestnet],
    }
    for (const network of NETWORKS) {
      const [live, test] = viemChains[network]
      expect(REGISTRY[network].live.chainId, network).to.equal(live.id)
      expect(REGISTRY[network].live.nativeCurrency, network).to.deep.include({
        symbol: live.nativeCurrency.symbol,
      })
      expect(REGISTRY[network].test?.chainId ?? null, network).to.equal(test?.id ?? null)
    }
  })

  it('sets a maximum data fee only for networks that charge for posting to their parent chain', () => {
    const models = NETWORKS.map((network) => [network, REGISTRY[network].dataFee.model])
    expect(models.filter(([, model]) => model !== 'none')).to.deep.equal([
      ['base', 'op-stack'],
      ['optimism', 'op-stack'],
      ['arbitrum', 'arbitrum'],
    ])
    for (const network of NETWORKS) {
      const { model, maxWei } = REGISTRY[network].dataFee
      expect(maxWei > 0n, network).to.equal(model !== 'none')
    }
  })

  it('gives every deployment its own chain id and RPC URLs', () => {
    const chainIds = DEPLOYMENTS.map(({ facts }) => facts.chainId)
    expect(new Set(chainIds).size).to.equal(chainIds.length)
    const urls = DEPLOYMENTS.flatMap(({ facts }) => facts.rpcUrls)
    expect(new Set(urls).size).to.equal(urls.length)
    for (const { facts } of DEPLOYMENTS) expect(facts.rpcUrls).not.to.be.empty
  })

  it('lists nodes of at least three operators for every live network except tron, which has two', () => {
    const few = NETWORKS.flatMap((network) => {
      const operators = operatorsOf(REGISTRY[network].live)
      return operators.length < 3 ? [{ network, operators }] : []
    })
    expect(few).to.deep.equal([{ network: 'tron', operators: ['trongrid.io', 'publicnode.com'] }])
  })

  it('lists nodes of enough operators for the default quorum on every testnet except TRON’s', () => {
    const few = NETWORKS.filter((network) => {
      const { test } = REGISTRY[network]
      return test !== null && operatorsOf(test).length < DEFAULT_QUORUM
    })
    expect(few).to.deep.equal(['tron'])
  })

  it('sets operators only for nodes that it lists', () => {
    for (const { network, facts } of DEPLOYMENTS) {
      const hosts = facts.rpcUrls.map((url) => new URL(url).host)
      expect(hosts, network).to.include.members(Object.keys(facts.operators ?? {}))
    }
  })

  it('requires fewer confirmations than Ponder requires to consider a block final', () => {
    for (const { network, facts } of DEPLOYMENTS) {
      expect(REGISTRY[network].confirmations, network).to.be.lessThan(finalityBlocks(facts.chainId))
    }
  })

  it('enables the specification’s pairs by default, except USDC on tron', () => {
    expect(pairsOf('live')).to.deep.equal([
      'USDC/base',
      'USDT/base',
      'USDC/optimism',
      'USDT/optimism',
      'USDC/polygon',
      'USDT/polygon',
      'USDC/ethereum',
      'USDT/ethereum',
      'USDC/arbitrum',
      'USDT/arbitrum',
      'USDC/avalanche',
      'USDT/avalanche',
      'USDC/bnb',
      'USDT/bnb',
      'USDT/tron',
      'USDC/arc',
    ])
    expect(pairsOf('test')).to.deep.equal([
      'USDC/base',
      'USDC/optimism',
      'USDC/ethereum',
      'USDT/tron',
      'USDC/arc',
    ])
  })

  it('lists tokens with 18 decimals on bnb and 6 on every other network', () => {
    for (const { network, facts } of DEPLOYMENTS) {
      const decimals = Object.values(facts.tokens).map((token) => token.decimals)
      expect(new Set(decimals), network).to.deep.equal(new Set([network === 'bnb' ? 18 : 6]))
    }
  })

  it('marks USDT on base and optimism as bridged', () => {
    expect(REGISTRY.base.live.tokens.USDT).to.include({
      address: '0xfde4c96c8593536e31f229ea8f37b2ada2699bb2',
      bridged: true,
    })
    expect(REGISTRY.optimism.live.tokens.USDT).to.include({
      address: '0x94b008aa00579c1307b0ef2c499ad98a8ce58e58',
      bridged: true,
    })
  })

  it('lists no restriction on receiving USDT', () => {
    for (const { facts } of DEPLOYMENTS)
      expect(facts.tokens.USDT?.restriction?.receive ?? false).to.equal(false)
  })

  it('reads transfers of USDC on arc from the system emitter, with 18 decimals', () => {
    expect(REGISTRY.arc.live.tokens.USDC?.transferEmitter).to.deep.equal({
      address: `0x${'f'.repeat(39)}e`,
      decimals: 18,
    })
  })

  it('supports payments by signature only in tokens that Circle issues and in USDT0 on arbitrum', () => {
    const signable = DEPLOYMENTS.flatMap(({ network, facts }) =>
      TOKENS.flatMap((token) => {
        const domain = facts.tokens[token]?.authorization
        return domain ? [`${token}/${network} ${facts.chainId}: ${domain.name}, ${domain.version}`] : []
      }),
    )
    expect(signable).to.deep.equal([
      'USDC/base 8453: USD Coin, 2',
      'USDC/base 84532: USDC, 2',
      'USDC/optimism 10: USD Coin, 2',
      'USDC/optimism 11155420: USDC, 2',
      'USDC/polygon 137: USD Coin, 2',
      'USDC/ethereum 1: USD Coin, 2',
      'USDC/ethereum 11155111: USDC, 2',
      'USDC/arbitrum 42161: USD Coin, 2',
      'USDT/arbitrum 42161: USD\u20ae0, 1',
      'USDC/avalanche 43114: USD Coin, 2',
      'USDC/arc 5042: USDC, 2',
      'USDC/arc 5042002: USDC, 2',
    ])
  })

  it('lists the native coin of every EVM network for swaps, except on arc, whose coin is USDC', () => {
    for (const network of NETWORKS) {
      const natives = Object.values(REGISTRY[network].swapTokens).filter(({ isNative }) => isNative)
      expect(natives, network).to.have.length(network === 'tron' || network === 'arc' ? 0 : 1)
    }
  })
})
