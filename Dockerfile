FROM node:26-bookworm-slim
WORKDIR /vnflow
ENV NODE_ENV=production
COPY package.json package-lock.json .npmrc ./
COPY simulator/package.json simulator/
RUN npm ci --omit=dev && npm cache clean --force
COPY . .
# Bundled at build time, where the worker looks for it: the container's file system is read-only.
RUN node -e "import('/vnflow/worker/workflow-bundle.ts').then(({ workflowBundle }) => workflowBundle('/vnflow/.vnflow/data/bundles'))"
USER node
EXPOSE 9890
ENTRYPOINT ["node", "cli/main.ts"]
