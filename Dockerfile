# The production image: API, workers and the commands for operators. The simulator is not in it.
# With a digest instead of a tag: docker build --build-arg NODE_IMAGE=node@sha256:…
ARG NODE_IMAGE=node:26-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /vnflow
ENV NODE_ENV=production
COPY package.json package-lock.json .npmrc ./
COPY simulator/package.json simulator/
# npm installs what the workspace `simulator` needs in any case; what nothing else needs is removed again.
RUN npm ci --omit=dev && npm pkg delete workspaces && npm prune --omit=dev && npm cache clean --force
COPY . .
RUN rm -r simulator
# Bundled at build time, where the worker looks for it: the container's file system is read-only.
RUN node -e "import('/vnflow/worker/workflow-bundle.ts').then(({ workflowBundle }) => workflowBundle('/vnflow/.vnflow/data/bundles'))"

FROM ${NODE_IMAGE}
WORKDIR /vnflow
# Files belong to root: the process can change none of them.
COPY --from=build /vnflow /vnflow
ENV NODE_ENV=production PATH=/vnflow/bin:$PATH
# By number: Kubernetes proves with it that the process is not root.
USER 1000:1000
EXPOSE 9890 9895
ENTRYPOINT ["node", "cli/main.ts"]
