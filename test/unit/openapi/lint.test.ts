import { expect } from 'chai'
import type { OpenApiDocument } from '../../../api/docs/openapi/openapi-types.ts'
import { lintDocument } from '../../support/lint-document.ts'
import { readDocument } from '../../support/route-table.ts'

describe('the API document', function () {
  this.timeout(240_000)

  it('passes the rules of @redocly/cli', async () => {
    expect(await lintDocument(readDocument())).to.deep.equal([])
  })

  it('fails if two operations have the same name or a response is missing', async () => {
    const document = readDocument()
    const broken = {
      ...document,
      paths: {
        '/v1/one': { get: { ...document.paths['/v1/health']?.get, responses: {} } },
        '/v1/other': document.paths['/v1/health'],
      },
    } as OpenApiDocument
    const rules = (await lintDocument(broken)).map((problem) => problem.split(' ')[0])
    expect(rules).to.include.members(['operation-operationId-unique', 'operation-2xx-response'])
  })
})
