FROM node:24-bookworm-slim
WORKDIR /vnflow
ENV NODE_ENV=production
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force
COPY . .
# Bundled at build time: the container's file system is read-only.
RUN node worker/workflow-bundle.ts bundle/workflows.cjs
ENV VNFLOW_WORKFLOW_BUNDLE=/vnflow/bundle/workflows.cjs
USER node
EXPOSE 9890
ENTRYPOINT ["node", "cli/main.ts"]
