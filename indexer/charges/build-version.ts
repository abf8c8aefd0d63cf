import packageJson from '../../package.json' with { type: 'json' }

/** Version of this build. A daemon does not automatically release charges that its own build quarantined. */
export const BUILD_VERSION: string = packageJson.version
