import { expect } from 'chai'
import { broadcastTransaction } from '../../../indexer/relayer/broadcast-transaction.ts'
import type { RelayerContext } from '../../../indexer/relayer/relayer-context.ts'
import { type ChainNode, createChainNodes } from '../../../shared/chain/nodes/chain-nodes.ts'
import type { RelayerTransactionRow } from '../../../shared/db/relayer/daemon/relayer-transactions.ts'
import { configureNodes } from '../../../shared/domain/node-config.ts'
import { recordingLog } from '../../support/recording-log.ts'

const URLS = ['http://127.0.0.1:1', 'http://127.0.0.1:2', 'http://127.0.0.1:3']

describe('broadcastTransaction', () => {
  it('sends a transaction to every node, and does not wait for more than a quorum of responses', async () => {
    const offered: string[] = []
    const sendAt = (url: string) => () => {
      offered.push(url)
      return url === URLS[0] ? new Promise(() => undefined) : Promise.resolve('0x')
    }
    const group = createChainNodes({ chainId: 1, nodes: configureNodes(URLS), quorum: 2 })
    const clientAt = (url: string) => ({ sendRawTransaction: sendAt(url) }) as unknown as ChainNode['client']
    const nodes = { ...group, nodes: group.nodes.map((node) => ({ ...node, client: clientAt(node.url) })) }
    const { log, lines } = recordingLog()
    const context = { sql: () => Promise.resolve([]), nodes, clock: () => new Date(0), log }
    const transaction = { txHash: '0x1', chainId: 1, nonce: 0, rawTransaction: '0x' }
    await broadcastTransaction(
      context as unknown as RelayerContext,
      transaction as unknown as RelayerTransactionRow,
    )
    expect(offered).to.deep.equal(URLS)
    expect(lines.map(({ msg }) => msg)).to.deep.equal(['Broadcast a transaction'])
  })
})
