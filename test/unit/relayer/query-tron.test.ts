import { expect } from 'chai'
import { getContractError, parseAbi, RawContractError, zeroAddress } from 'viem'
import { queryTron } from '../../../shared/chain/tron/query-tron.ts'
import { type TronNode, TronNodeError } from '../../../shared/chain/tron/tron-node.ts'

const NODES = [{ name: 'first' }, { name: 'second' }] as unknown as readonly TronNode[]
const call = {
  ...{ abi: parseAbi(['function pay()']), functionName: 'pay', args: [] },
  ...{ address: zeroAddress, sender: zeroAddress },
}
const revert: Error = getContractError(new RawContractError({ message: 'execution reverted' }), call)

describe('querying TRON nodes in order', () => {
  it('continues with the next node if a node does not respond', async () => {
    const asked = await askBoth((node) => new TronNodeError(node, 'did not respond'))
    expect(asked.nodes).to.deep.equal(['first', 'second'])
    expect(String(asked.error)).to.include('Node first did not respond')
  })

  it('continues with the next node if a node reports a revert', async () => {
    expect(await askBoth(() => revert)).to.deep.equal({ nodes: ['first', 'second'], error: revert })
    const answer = await queryTron(NODES, ({ name }) =>
      name === 'first' ? Promise.reject(revert) : Promise.resolve('works'),
    )
    expect(answer).to.equal('works')
  })

  it('throws the second node’s revert if the first node does not respond', async () => {
    const { error } = await askBoth((node) =>
      node.name === 'first' ? new TronNodeError(node, 'did not respond') : revert,
    )
    expect(error).to.equal(revert)
  })

  async function askBoth(failure: (node: TronNode) => Error) {
    const nodes: string[] = []
    const error: unknown = await queryTron(NODES, (node) => {
      nodes.push(node.name)
      return Promise.reject(failure(node))
    }).catch((thrown: unknown) => thrown)
    return { nodes, error }
  }
})
